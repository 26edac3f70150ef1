# frozen_string_literal: true
# An out-of-tree build: WORK/src is the source tree, WORK/obj the build.

require "etc"
require_relative "source"
require_relative "target"

module Linesplit
  TARGETS = %w[host x64-mingw-ucrt].freeze

  module_function

  def ccache_env
    { "CCACHE_DIR" => File.join(cache_dir, "ccache"), "CCACHE_BASEDIR" => build_dir,
      "CCACHE_NOHASHDIR" => "1", "CCACHE_MAXSIZE" => "3G", "LC_ALL" => "C.UTF-8" }
  end

  # Configures and builds WORK for TARGET.  A finished build is left alone;
  # one that was stopped half-way goes on where make left off.
  def build(work)
    target = target_of(work)
    obj = File.join(work, "obj")
    log = File.join(work, "log")
    return obj if File.exist?(File.join(obj, ".built"))

    raise Error, "#{work}: of what kind is the build? TARGET/KEY/NAME is one for #{TARGETS.join(" or ")}" unless TARGETS.include?(target)
    raise Error, "#{work}/src is no CRuby source tree (no string.c)" unless File.file?(File.join(work, "src/string.c"))

    name = work.delete_prefix("#{build_dir}/")
    # held by what is started, too: make may outlive a killed tool
    lock = File.open(File.join(work, ".lock"), File::CREAT | File::RDWR)
    lock.close_on_exec = false
    lock.flock(File::LOCK_EX | File::LOCK_NB) or raise Error, "#{name} is being built by another process; wait for that one or end it"
    return obj if File.exist?(File.join(obj, ".built"))

    configured = File.join(obj, ".configured")
    unless File.exist?(configured)
      FileUtils.rm_rf(obj)
      FileUtils.mkdir_p(obj)
      hooks = File.join(ROOT, "configure-hooks.sh")
      hooks = path_in_root(hooks) unless target == "host"
      env, *command = build_command(target, hooks, "--target", target, "--srcdir", "../src",
                                    "--", "--cache-file=#{inside(found(work), target)}/config.cache", *target_libs(target))
      step("configure #{name}", *command, log: File.join(log, "configure.log"), env: env, chdir: obj)
      FileUtils.touch(configured)
    end
    take_found(work, target) unless File.exist?(File.join(obj, "rbconfig.rb"))
    # without the extensions of ruby/spec for the C API, which only a shared libruby gets here,
    # and without the bundled gems, which a checkout would download
    env, *command = build_command(target, "make", "-j#{Etc.nprocessors}", "main", "RUBYSPEC_CAPIEXT=none", "bundled-gems=", "bundled-gems-rev=")
    step("make #{name}", *command, log: File.join(log, "make.log"), env: env, chdir: obj)
    keep_found(work, target)
    FileUtils.touch(File.join(obj, ".built"))
    obj
  ensure
    lock&.close
  end

  # Where what configure and the extensions' extconf.rb found out is kept for all
  # builds of one source with the same tools; for a target whose tools and
  # libraries are the project's own, for later ones as well.
  def found(work)
    target = target_of(work)
    made_by = [ENV.values_at("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS"), File.read(File.join(ROOT, "configure-hooks.sh")), target_libs(target),
               *(target == "host" ? [ENV["PATH"], capture(ENV["CC"] || "gcc", "--version")] : root_made)]
    name = "found-#{Digest::SHA256.hexdigest(made_by.inspect)[0, 8]}"
    home = File.dirname(work)
    dir = target == "host" ? File.join(home, name) : File.join(cache_dir, "found", target, File.basename(home), name)
    FileUtils.mkdir_p(dir)
    dir
  end

  # mkmf compiles one conftest.c after the other, which is most of a build's time.
  # It leaves a Makefile alone that is newer than rbconfig.rb.
  def take_found(work, target)
    kept = File.join(found(work), "ext")
    return unless File.directory?(kept)

    obj = File.join(work, "obj")
    env, *command = build_command(target, "make", "-j#{Etc.nprocessors}", "rbconfig.rb")
    step("make rbconfig.rb", *command, log: File.join(work, "log/make.log"), env: env, chdir: obj)
    copy_found(kept, File.join(obj, "ext"), "@obj@", inside(obj, target))
  end

  def keep_found(work, target)
    kept = File.join(found(work), "ext")
    obj = File.join(work, "obj")
    return if File.directory?(kept) || !File.directory?(File.join(obj, "ext"))

    Dir.mktmpdir("ext", File.dirname(kept)) do |tmp|
      copy_found(File.join(obj, "ext"), File.join(tmp, "ext"), inside(obj, target), "@obj@")
      File.rename(File.join(tmp, "ext"), kept)
    rescue Errno::ENOTEMPTY, Errno::EEXIST
      # another project's build was first
    end
  end

  def copy_found(from, to, path, other)
    Dir.glob("**/{Makefile,extconf.h,mkmf.log}", base: from) do |file|
      FileUtils.mkdir_p(File.dirname(File.join(to, file)))
      File.binwrite(File.join(to, file), File.binread(File.join(from, file)).gsub(path, other))
    end
  end

  # A build like that in WORK with another text of one source file, string.c for
  # one: it is compiled, and ruby linked, among hard links to the rest of WORK.
  def with_source(work, name, file, text)
    dir = "#{work}-#{name}"
    object = "#{File.basename(file, ".c")}.o"
    # a patch for Windows alone leaves ruby for others as it is
    others = Dir.glob(File.join(work, "obj/{.configured,*.o}")).reject { |f| File.basename(f) == object }
    stamp = Digest::SHA256.hexdigest([text, others.map { |f| File.mtime(f).to_f }.max].inspect)
    return dir if File.exist?(File.join(dir, ".source")) && File.read(File.join(dir, ".source")) == stamp

    FileUtils.rm_rf(dir)
    FileUtils.mkdir_p(dir)
    File.symlink(File.readlink(File.join(work, "src")), File.join(dir, "src"))
    obj = File.join(dir, "obj")
    capture!("cp", "-al", File.join(work, "obj"), obj)
    # what is written anew must not be written through a link
    own = Dir.glob("{#{object},libruby-static.a,ruby,*-ruby*-static.a,x64-ucrt-ruby*.dll,ruby.exe}", base: obj)
    raise Error, "#{work} is no build that links a ruby anew (it has #{own.join(", ")})" if own.size < 3

    FileUtils.rm(own.map { |f| File.join(obj, f) })
    File.write(File.join(obj, File.basename(file)), text)
    # miniruby, which would be linked anew and after it all the rest, is as good as it was
    env, *command = build_command(target_of(work), "make", "-o", "miniruby", *own)
    step("make #{dir.delete_prefix("#{build_dir}/")}", *command, log: File.join(dir, "log/make.log"), env: env, chdir: obj)
    File.write(File.join(dir, ".source"), stamp)
    dir
  end

  # The target that WORK, a directory build/TARGET/KEY/NAME, is for.
  def target_of(work)
    File.basename(File.dirname(work, 2))
  end

  # What the build of a target calls a path.
  def inside(path, target)
    target == "host" ? path : path_in_root(path)
  end

  # The environment and the words of a command that builds for TARGET.
  def build_command(target, *command)
    target == "host" ? [ccache_env, *command] : in_root(*command)
  end

  # Where configure finds the libraries of its own that a target needs.
  def target_libs(target)
    return [] if target == "host"

    @target_libs ||= begin
      dir, status = Open3.capture2(File.join(ROOT, "tool/target-libs"))
      raise Error, "tool/target-libs failed" unless status.success?

      ["--with-opt-dir=#{dir.chomp}"]
    end
  end

  # The ruby of a build, to be run from anywhere.
  def ruby(work)
    File.join(work, target_of(work) == "host" ? "obj/ruby" : "obj/ruby.exe")
  end
end
