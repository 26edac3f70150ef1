# frozen_string_literal: true
# An out-of-tree build: WORK/src is the source tree, WORK/obj the build.

require "etc"
require_relative "source"
require_relative "target"

module Linesplit
  module_function

  def ccache_env
    { "CCACHE_DIR" => File.join(cache_dir, "ccache"), "CCACHE_BASEDIR" => build_dir,
      "CCACHE_NOHASHDIR" => "1", "CCACHE_MAXSIZE" => "3G", "LC_ALL" => "C.UTF-8" }
  end

  # Configures and builds WORK for TARGET.  A finished build is left alone;
  # one that was stopped half-way goes on where make left off.
  def build(work, target: target_of(work))
    obj = File.join(work, "obj")
    log = File.join(work, "log")
    return obj if File.exist?(File.join(obj, ".built"))

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
                                    "--", "--cache-file=#{configure_cache(work)}", *target_libs(target))
      step("configure #{name}", *command, log: File.join(log, "configure.log"), env: env, chdir: obj)
      FileUtils.touch(configured)
    end
    # without the extensions of ruby/spec for the C API, which only a shared libruby gets here
    env, *command = build_command(target, "make", "-j#{Etc.nprocessors}", "main", "RUBYSPEC_CAPIEXT=none")
    step("make #{name}", *command, log: File.join(log, "make.log"), env: env, chdir: obj)
    FileUtils.touch(File.join(obj, ".built"))
    obj
  ensure
    lock&.close
  end

  # The target that WORK, a directory build/TARGET/KEY/NAME, is for.
  def target_of(work)
    File.basename(File.dirname(work, 2))
  end

  # The environment and the words of a command that builds for TARGET.
  def build_command(target, *command)
    target == "host" ? [ccache_env, *command] : in_root(*command)
  end

  # Where configure finds the libraries of its own that a target needs.
  def target_libs(target)
    return [] if target == "host"

    dir, status = Open3.capture2(File.join(ROOT, "tool/target-libs"))
    raise Error, "tool/target-libs failed" unless status.success?

    ["--with-opt-dir=#{dir.chomp}"]
  end

  # What configure found out, for all builds of one source with the same tools.
  def configure_cache(work)
    made_by = ENV.values_at("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "PATH") << File.read(File.join(ROOT, "configure-hooks.sh")) <<
              capture(ENV["CC"] || "gcc", "--version") << target_libs(target_of(work))
    "../../config-#{Digest::SHA256.hexdigest(made_by.inspect)[0, 8]}.cache"
  end

  # The ruby of a build, to be run from anywhere.
  def ruby(work)
    File.join(work, target_of(work) == "host" ? "obj/ruby" : "obj/ruby.exe")
  end
end
