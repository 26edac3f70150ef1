# frozen_string_literal: true
# tool/export: what it writes is the same each time, and each packager's own
# tools take it.

require_relative "../helper"

class TestExport < Minitest::Test
  SOURCE = Linesplit.base_source(base: Builds.base_version)
  FORMS = %w[msys2 debian rubyinstaller generic].freeze

  def setup
    @tmp = Dir.mktmpdir("export test ")
  end

  def teardown
    FileUtils.rm_rf(@tmp)
  end

  def export(form, base, *args, into: File.join(@tmp, "#{form}-#{base}"), env: {})
    out, status = run_command(env, File.join(Linesplit::ROOT, "tool/export"), "--for", form, base, "-o", into, *args)
    assert_equal 0, status, out
    into
  end

  # The files of the base that the series touches, as SOURCE has them.
  def tree(dir)
    patches = Linesplit.series(Builds.base_version)
    FileUtils.mkdir_p(dir)
    Linesplit.copy_touched(SOURCE, dir, git: false)
    patches.each { |p| Linesplit.touched([p]).each { |f| FileUtils.mkdir_p(File.join(dir, File.dirname(f))) } }
    dir
  end

  def contents(dir)
    Dir.glob("**/*", base: dir).select { |f| File.file?(File.join(dir, f)) }
       .to_h { |f| [f, Digest::SHA256.file(File.join(dir, f)).hexdigest] }
  end

  # What the series makes of those files.
  def wanted
    dir = tree(File.join(@tmp, "wanted"))
    Linesplit.series(Builds.base_version).each { |p| assert_nil Linesplit.apply_in(dir, p) }
    contents(dir)
  end

  def test_reproducible
    Linesplit::BASES.product(FORMS).each do |base, form|
      first = export(form, base)
      umask = File.umask(0o077)
      second = begin
        export(form, base, into: File.join(@tmp, "again"), env: { "TZ" => "Asia/Tokyo", "LC_ALL" => "C" })
      ensure
        File.umask(umask)
      end
      listing = ->(dir) { Dir.glob("**/*", base: dir).sort.map { |f| [f, File.mtime(File.join(dir, f))] } }
      assert_equal contents(first), contents(second), "#{form} #{base}"
      assert_equal listing[first], listing[second]
      assert_match(/dated/, run_command(File.join(Linesplit::ROOT, "tool/export"), "--for", form, base, "-o", first)[0])
      FileUtils.rm_rf(second)
    end
  end

  def test_generic
    dir = export("generic", Builds.base_version)
    name = "ruby-linesplit-#{Builds.base_version}"
    tree = tree(File.join(@tmp, "a tree"))
    script = 'tar -xzf "$1/$2.tar.gz" && while read -r p; do patch -s -p1 -F0 --no-backup-if-mismatch -i "$2/$p" || exit; done < "$2/series" && rm -r "$2"'
    out, status = run_command("sh", "-c", script, "-", dir, name, chdir: tree)
    assert_equal 0, status, out
    assert_equal wanted, contents(tree)
    listing = Linesplit.capture!({ "TZ" => "UTC" }, "tar", "-tvzf", "#{dir}/#{name}.tar.gz").lines
    assert_equal ["0/0"], listing.map { |l| l.split[1] }.uniq
    assert_equal 1, listing.map { |l| l.split[3, 2] }.uniq.size
  end

  # makepkg fetches, checks the sums and runs prepare(), as a user without
  # rights: it refuses to run as root.
  def makepkg(form, package)
    dir = File.join(@tmp, "packages")
    FileUtils.mkdir_p(dir)
    FileUtils.cp_r(File.join(export(form, Builds.base_version), package, "."), dir)
    tree(File.join(@tmp, "ruby-1"))
    Linesplit.capture!("tar", "-czf", File.join(dir, "ruby-1.tar.gz"), "-C", @tmp, "ruby-1")
    File.write(File.join(dir, "PKGBUILD"), <<~SH)
      pkgname=#{package}
      pkgver=1
      pkgrel=1
      arch=(any)
      source=(ruby-1.tar.gz)
      sha256sums=(SKIP)
      #{File.read(File.join(dir, "PKGBUILD.linesplit"))}
      prepare() {
        cd "$srcdir/ruby-1"
        linesplit_prepare
      }
      package() {
        :
      }
    SH
    yield dir if block_given?
    FileUtils.chmod_R("a+rwX", @tmp)
    nobody = Process.uid.zero? ? %w[setpriv --reuid=65534 --regid=65534 --clear-groups] : []
    out, status = run_command({ "HOME" => @tmp, "LC_ALL" => "C" }, *nobody, "makepkg", "--nobuild", "--nodeps", chdir: dir)
    [out, status, File.join(dir, "src/ruby-1")]
  end

  { "msys2" => "mingw-w64-ruby", "rubyinstaller" => "mingw-w64-ruby#{Builds.base_version.delete(".")}" }.each do |form, package|
    define_method("test_#{form}") do
      out, status, made = makepkg(form, package)
      assert_equal 0, status, out
      assert_equal wanted, contents(made)
    end
  end

  def test_makepkg_checks_the_sums
    out, status, = makepkg("msys2", "mingw-w64-ruby") do |dir|
      File.write(Dir.glob("#{dir}/0001-*").first, "\n", mode: "a")
    end
    refute_equal 0, status
    assert_match(/0001-.*FAILED/, out)
  end

  # In Debian's own source package, above Debian's own patches.  Done again when
  # a patch or that package has changed.
  def test_debian
    dir = export("debian", Builds.base_version)
    dsc = Linesplit.debian_source("ruby#{Builds.base_version}", "dsc")
    stamp = File.join(Linesplit.build_dir, "test-export", File.basename(dsc))
    state = Digest::SHA256.hexdigest(contents(dir).inspect + File.read(dsc))
    return pass if File.exist?(stamp) && File.read(stamp) == state

    env = { "QUILT_PATCHES" => "debian/patches", "LC_ALL" => "C" }
    Linesplit.capture!("dpkg-source", "-x", dsc, "src", chdir: @tmp)
    src = File.join(@tmp, "src")
    FileUtils.cp_r(File.join(dir, "ruby-linesplit"), File.join(src, "debian/patches"))
    series = File.join(src, "debian/patches/ruby-linesplit/series")
    names = File.readlines(series, chomp: true)
    File.write(File.join(src, "debian/patches/series"), File.read(series), mode: "a")
    FileUtils.rm(series)
    out, status = run_command(env, "quilt", "push", "-a", "--fuzz=0", chdir: src)
    assert_equal 0, status, out
    assert_equal names, run_command(env, "quilt", "applied", chdir: src)[0].lines(chomp: true).last(names.size).map { |n| n.delete_prefix("debian/patches/") }
    out, status = run_command("dpkg-source", "-b", "src", chdir: @tmp)
    assert_equal 0, status, out
    FileUtils.mkdir_p(File.dirname(stamp))
    File.write(stamp, state)
  end

  # DEP-3: the fields, and the free text after them.
  def test_dep3
    dir = export("debian", Builds.base_version, "--forwarded", "https://example.org/1")
    Dir.glob("#{dir}/ruby-linesplit/*.patch").each do |patch|
      head, text = File.read(patch).split("\n\n", 2)
      fields = head.lines.to_h { |l| l.chomp.split(": ", 2) }
      assert_equal %w[From Subject Bug Forwarded Last-Update], fields.keys - ["Applied-Upstream"]
      assert_match(/\A\d{4}-\d\d-\d\d\z/, fields["Last-Update"])
      assert_match(%r{/(22463|22186)\z}, fields["Bug"])
      assert_equal fields.key?("Applied-Upstream") ? "not-needed" : "https://example.org/1", fields["Forwarded"]
      refute_match(/^---$/, text[/\A.*?^\[Feature/m], "the text ends where git's part begins")
    end
  end

  def test_optional_patch
    dir = export("generic", "4.1", "--with", "cutoff", "--with", "cutoff")
    assert_equal ["ruby-linesplit-4.1+cutoff.tar.gz"], Dir.children(dir)
    assert_match(/no optional patch nonsense/, tool("export", "--for", "generic", "4.1", "--with", "nonsense")[0])
  end

  def test_refused
    dir = File.join(@tmp, "mine")
    FileUtils.mkdir(dir)
    File.write(File.join(dir, "file"), "mine")
    { ["--for", "debian", "3.3", "-o", dir] => /holds something else/, ["--for", "debian", "2.7"] => /no series for CRuby 2\.7/,
      ["3.3"] => /say --for/, ["--for", "rpm", "3.3"] => /invalid argument: --for rpm/, ["--for", "generic"] => /give one base/ }.each do |args, message|
      out, status = tool("export", *args)
      assert_equal 1, status, args.join(" ")
      assert_match(message, out)
      refute_match(/\.rb:\d+:in|tool\/\w+:\d+:in/, out, "a backtrace")
    end
    assert_equal ["file"], Dir.children(dir)
  end
end
