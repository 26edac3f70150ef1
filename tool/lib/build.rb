# frozen_string_literal: true
# An out-of-tree build: WORK/src is the source tree, WORK/obj the build.

require "etc"
require_relative "source"

module Linesplit
  module_function

  def ccache_env
    { "CCACHE_DIR" => File.join(cache_dir, "ccache"), "CCACHE_BASEDIR" => build_dir,
      "CCACHE_NOHASHDIR" => "1", "CCACHE_MAXSIZE" => "3G", "LC_ALL" => "C.UTF-8" }
  end

  # Configures and builds WORK for TARGET.  A finished build is left alone;
  # one that was stopped half-way goes on where make left off.
  def build(work, target: "host")
    obj = File.join(work, "obj")
    log = File.join(work, "log")
    return obj if File.exist?(File.join(obj, ".built"))

    name = work.delete_prefix("#{build_dir}/")
    configured = File.join(obj, ".configured")
    unless File.exist?(configured)
      FileUtils.rm_rf(obj)
      FileUtils.mkdir_p(obj)
      step("configure #{name}", File.join(ROOT, "configure-hooks.sh"), "--target", target, "--srcdir", "../src",
           "--", "--cache-file=#{configure_cache(work)}",
           log: File.join(log, "configure.log"), env: ccache_env, chdir: obj)
      FileUtils.touch(configured)
    end
    step("make #{name}", "make", "-j#{Etc.nprocessors}", "main",
         log: File.join(log, "make.log"), env: ccache_env, chdir: obj)
    FileUtils.touch(File.join(obj, ".built"))
    obj
  end

  # What configure found out, for all builds of one source with the same tools.
  def configure_cache(work)
    made_by = ENV.values_at("CC", "CFLAGS", "CPPFLAGS", "LDFLAGS", "PATH") << File.read(File.join(ROOT, "configure-hooks.sh")) <<
              capture(ENV["CC"] || "gcc", "--version")
    "../../config-#{Digest::SHA256.hexdigest(made_by.inspect)[0, 8]}.cache"
  end

  # The ruby of a build, to be run from anywhere.
  def ruby(work)
    File.join(work, "obj/ruby")
  end
end
