# frozen_string_literal: true
# Source trees under build/src/KEY/: "base" as it came, and one more per set of
# patches.  KEY is the version, for a checkout with its commit.

require_relative "series"

module Linesplit
  # Debian's suites by age, the order in which they are asked for a package.
  SUITES = %w[bookworm trixie forky sid experimental].freeze
  KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

  module_function

  # Path of the pristine source tree: Debian's source package of ruby BASE, or
  # a copy of the tree at DIR (of HEAD, for a git checkout).
  def base_source(base: "3.3", dir: nil)
    return copy_of(dir) if dir

    raise Error, "--base #{base}: Debian's source packages cover 3.3 and 3.4; give the directory of a CRuby tree for others" \
      unless %w[3.3 3.4].include?(base)

    done = Dir.glob(File.join(build_dir, "src", "#{base}.*", "base")).find { |d| File.exist?(File.join(d, "../.debian")) }
    return done if done

    unpack(debian_tarball("ruby#{base}"))
  end

  def debian_tarball(package)
    debian_source(package, "orig.tar.*")
  end

  # A file (the orig tarball, or the .dsc with all it lists beside it) of the
  # newest source package of that name that the archive really has, from the
  # machine's own suite or the first later one; kept in the cache.
  def debian_source(package, file)
    kept = Dir.glob(File.join(cache_dir, "sources", "#{package}_*.#{file}")).reject { |f| f.end_with?(".asc") }.max
    return kept if kept

    mirror, own = debian_mirror
    start = SUITES.index(own) || 0
    tried = []
    SUITES[start..].each do |suite|
      state = File.join(build_dir, "apt", suite)
      apt = apt_options(state, "deb-src [signed-by=#{KEYRING}] #{mirror} #{suite} main")
      $stderr.puts "looking for #{package} in Debian #{suite}"
      capture!("apt-get", *apt, "update")
      versions = (capture("apt-cache", *apt, "showsrc", package) || "").scan(/^Version: (\S+)/).flatten.uniq
      versions.sort { |a, b| system("dpkg", "--compare-versions", a, "gt", b) ? -1 : 1 }.each do |version|
        got = download(apt, package, version, file) and return got
        tried << "#{version} (#{suite}) is listed but was not to be had"
      end
    rescue Error => e
      tried << "#{suite}: #{e.message.lines.last.strip}"
    end
    raise Error, "no source package #{package} in Debian #{SUITES[start..].join(", ")} at the machine's mirror:\n" \
                 "#{tried.map { |t| "  #{t}\n" }.join}Give a CRuby tree instead: tool/bench DIR"
  end

  # Downloads into a scratch directory and moves the files when they are whole,
  # the .dsc last; apt checks them against the signed index.
  def download(apt, package, version, file)
    sources = FileUtils.mkdir_p(File.join(cache_dir, "sources"))[0]
    Dir.mktmpdir("get", sources) do |tmp|
      capture("apt-get", *apt, "source", "--download-only", "#{package}=#{version}", chdir: tmp) or return nil
      files = Dir.glob(File.join(tmp, "*")).sort_by { |f| f.end_with?(".dsc") ? 1 : 0 }
      files.each { |f| FileUtils.mv(f, sources) }
      wanted = files.find { |f| File.fnmatch?("*.#{file}", f) && !f.end_with?(".asc") }
      return wanted && File.join(sources, File.basename(wanted))
    end
  end

  def apt_options(state, line)
    FileUtils.mkdir_p([File.join(state, "lists/partial"), File.join(state, "cache/archives/partial")])
    File.write(File.join(state, "sources.list"), line + "\n")
    { "Dir::Etc::SourceList" => "#{state}/sources.list", "Dir::Etc::SourceParts" => "/dev/null",
      "Dir::State::Lists" => "#{state}/lists", "Dir::Cache" => "#{state}/cache",
      "APT::Sandbox::User" => "" }.flat_map { |k, v| ["-o", "#{k}=#{v}"] }
  end

  # [URI, codename] of the Debian archive in the machine's apt configuration.
  def debian_mirror
    own = File.read("/etc/os-release")[/^VERSION_CODENAME=(\S+)/, 1] if File.exist?("/etc/os-release")
    targets = capture("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)") || ""
    line = targets.lines.map(&:split).find { |_, release, component| release == own && component == "main" } ||
           targets.lines.map(&:split).find { |_, release, component| SUITES.include?(release) && component == "main" }
    raise Error, "apt is not configured for a Debian archive (apt-get indextargets names none of #{SUITES.join(", ")}); " \
                 "give a CRuby tree instead: tool/bench DIR" unless line

    [line[0].chomp("/"), own]
  end

  def unpack(tarball)
    into = FileUtils.mkdir_p(File.join(build_dir, "src"))[0]
    Dir.mktmpdir("unpack", into) do |tmp|
      capture!("tar", "-xf", tarball, "-C", tmp)
      tree = Dir.children(tmp).map { |d| File.join(tmp, d) }.find { |d| File.directory?(d) }
      version, = identify(tree)
      return install_source(tree, version, ".debian")
    end
  end

  def copy_of(dir)
    version, = identify(dir)
    FileUtils.mkdir_p(File.join(build_dir, "src"))
    Dir.mktmpdir("copy", File.join(build_dir, "src")) do |tmp|
      tree = File.join(tmp, "tree")
      if git_checkout?(dir)
        commit = capture!("git", "-C", dir, "rev-parse", "HEAD").chomp
        key = "#{version}-#{commit[0, 10]}"
        unless (capture("git", "-C", dir, "status", "--porcelain", "--untracked-files=no") || "").empty?
          $stderr.puts "#{dir}: uncommitted changes are left out; the base is commit #{commit[0, 10]}"
        end
        done = File.join(build_dir, "src", key, "base")
        return done if File.directory?(done)

        # not --shared: the root for x64-mingw-ucrt does not see the checkout
        capture!("git", "clone", "-q", "--depth=1", "--no-local", "--no-checkout", File.realpath(dir), tree)
        capture!("git", "-C", tree, "checkout", "-q", "--detach", commit)
      else
        files = Dir.glob("**/*", File::FNM_DOTMATCH, base: dir).sort
        listing = files.map { |f| s = File.lstat(File.join(dir, f)); "#{f} #{s.file? && s.size} #{s.file? && s.mtime.to_i}\n" }
        key = "#{version}-#{Digest::SHA256.hexdigest(listing.join)[0, 10]}"
        done = File.join(build_dir, "src", key, "base")
        return done if File.directory?(done)

        capture!("cp", "-a", "--reflink=auto", "#{dir}/.", tree)
      end
      return install_source(tree, key)
    end
  end

  def install_source(tree, key, mark = nil)
    home = FileUtils.mkdir_p(File.join(build_dir, "src", key))[0]
    base = File.join(home, "base")
    FileUtils.rm_rf(base)
    File.rename(tree, base)
    FileUtils.touch(File.join(home, mark)) if mark
    base
  end

  # Which state of the series, and of the optional patches WITH, a build or a figure is of.
  def series_digest(base, with: [])
    Digest::SHA256.hexdigest(series(base, with: with).map { |p| File.read(p.path) }.join)
  end

  # Path of a copy of the base tree with the series (and the optional patches
  # WITH) on it.  Made anew when a patch has changed.
  def patched_source(base_tree, with: [])
    _, base = identify(base_tree)
    tree = File.join(File.dirname(base_tree), ["patched", *with.sort].join("+"))
    digest = series_digest(base, with: with)
    stamp = "#{tree}.series"
    return tree if File.directory?(tree) && File.exist?(stamp) && File.read(stamp) == digest

    FileUtils.rm_rf([stamp, "#{tree}.new"])
    capture!("cp", "-a", "--reflink=auto", base_tree, "#{tree}.new")
    out = capture!(RbConfig.ruby, File.join(ROOT, "tool/apply"), *with.flat_map { |w| ["--with", w] }, "#{tree}.new")
    if out.include?("already applied")
      FileUtils.rm_rf("#{tree}.new")
      raise Error, "#{base_tree}, the base, has the series already; tool/apply --reverse takes it off the tree that was given"
    end
    there = series(base, with: with).map(&:file).reject { |file| out.include?(file) }
    $stderr.puts "the base has #{there.join(", ")} already; what is compared is the rest" unless there.empty?
    # the builds of the tree that was here go on from what has not changed since
    touched(patches).each do |file|
      was, is = [tree, "#{tree}.new"].map { |t| File.join(t, file) }
      next unless File.file?(is)
      time = File.file?(was) && FileUtils.identical?(was, is) ? File.mtime(was) : Time.now
      File.utime(time, time, is)
    end
    FileUtils.rm_rf(tree)
    File.rename("#{tree}.new", tree)
    File.write(stamp, digest)
    tree
  end

  # Directory of a build, build/TARGET/KEY/NAME with its src link.  What was
  # built from another state of the source is to be made again.
  def work(tree, target: "host")
    dir = File.join(build_dir, target, File.basename(File.dirname(tree)), File.basename(tree))
    FileUtils.mkdir_p(dir)
    state = File.exist?("#{tree}.series") ? File.read("#{tree}.series") : "base"
    stamp = File.join(dir, ".source")
    unless File.exist?(stamp) && File.read(stamp) == state
      FileUtils.rm_f(File.join(dir, "obj/.built"))
      File.write(stamp, state)
    end
    link = File.join(dir, "src")
    File.symlink(File.join("../../../src", File.basename(File.dirname(tree)), File.basename(tree)), link) unless File.symlink?(link)
    dir
  end
end
