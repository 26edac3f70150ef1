# frozen_string_literal: true
# x64-mingw-ucrt: where things are for the programs that run in tool/root, and
# how Windows programs are run there.

require_relative "linesplit"

module Linesplit
  # The runtime DLLs of the compiler, libssp-0.dll for one.
  TOOLCHAIN_DLLS = "Z:/usr/lib/gcc/x86_64-w64-mingw32ucrt/14;Z:/usr/x86_64-w64-mingw32ucrt/lib"

  module_function

  # The command line that runs CMD in tool/root.
  def in_root(*cmd, env: {})
    cmd = ["env", *env.map { |k, v| "#{k}=#{v}" }, *cmd] unless env.empty?
    [{ "LINESPLIT_BUILD" => build_dir }, File.join(ROOT, "tool/root"), "run", *cmd]
  end

  # When tool/root was made, and with it everything in it.
  def root_made
    File.mtime(File.join(cache_dir, "root/.recipe")).to_i
  end

  # What a path of the project or of its build directory is called in tool/root.
  def path_in_root(path)
    [[build_dir, "/linesplit/build"], [ROOT, "/linesplit"], [cache_dir, "/cache"]].each do |outside, inside|
      return path.sub(outside, inside) if "#{path}/".start_with?("#{outside}/")
    end
    raise Error, "#{path} is neither in #{ROOT} nor in #{build_dir}: tool/root does not see it"
  end

  # The same, as Windows programs see it.
  def path_in_wine(path)
    path_in_root(path).sub(%r{\A/linesplit}, "W:").sub(%r{\A/}, "Z:/")
  end

  # The environment in which the ruby.exe of a build finds its library.
  def wine_ruby_env(work)
    dirs = %w[src/lib obj/.ext/common obj/.ext/x64-mingw-ucrt obj].map { |dir| path_in_wine(File.join(work, dir)) }
    { "RUBYLIB" => dirs.join(";"), "RUBY" => path_in_wine(File.join(work, "obj/ruby.exe")),
      "WINEPATH" => "#{dirs.last};#{TOOLCHAIN_DLLS}" }
  end

  # The command line that runs a program, or the ruby of the build in a
  # directory, under Wine.
  def wine(program, *args, env: {})
    if File.directory?(program)
      exe = File.join(program, "obj/ruby.exe")
      raise Error, "#{program} holds no finished build for x64-mingw-ucrt" unless File.exist?(exe)

      env = wine_ruby_env(program).merge(env)
    else
      exe = program
      raise Error, "#{program}: no such program" unless File.file?(exe)

      env = { "WINEPATH" => TOOLCHAIN_DLLS }.merge(env)
    end
    in_root("wine", path_in_wine(exe), *args, env: env)
  end
end
