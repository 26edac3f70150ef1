# frozen_string_literal: true
# The two builds for x64-mingw-ucrt, and how tests compile for them and run them.

require_relative "../helper"

module Windows
  TARGET = "x64-mingw-ucrt"
  TRIPLET = "x86_64-w64-mingw32ucrt"

  module_function

  def base
    @base ||= build(Linesplit.base_source(base: Builds.base_version))
  end

  def patched
    @patched ||= build(Linesplit.patched_source(Linesplit.base_source(base: Builds.base_version)))
  end

  def build(source)
    Linesplit.work(source, target: TARGET).tap { |work| Linesplit.build(work) }
  end

  # [output, exit status] of the ruby of a build.
  def ruby(work, *args, **opts)
    run_command(*Linesplit.wine(work, "--disable=gems", "-W0", *args), **opts)
  end

  # A directory that both sides see.
  def tmpdir(&block)
    Dir.mktmpdir("windows", FileUtils.mkdir_p(File.join(Linesplit.build_dir, "tmp"))[0], &block)
  end

  def include_flags(work)
    %w[obj/.ext/include/x64-mingw-ucrt src/include].map { |dir| "-I#{Linesplit.path_in_root(File.join(work, dir))}" }
  end

  # The library by which an extension or a program finds the DLL of a build.
  def import_library(work)
    Linesplit.path_in_root(Dir.glob(File.join(work, "obj/libx64-ucrt-ruby*.dll.a")).fetch(0))
  end

  # Compiles in tool/root; absolute paths become what they are called there.
  def compile(compiler, *args)
    args = args.map { |arg| arg.match?(%r{\A/(?!linesplit/)}) ? Linesplit.path_in_root(arg) : arg }
    Linesplit.capture!(*Linesplit.in_root("#{TRIPLET}-#{compiler}", *args))
  end

  # What of "want(memchr)" is left after the header.
  def preprocess(work, *flags)
    tmpdir do |dir|
      file = File.join(dir, "header.c")
      File.write(file, "#include <ruby.h>\nwant(memchr)\n")
      compile("gcc", *flags, *include_flags(work), file).gsub(Linesplit.path_in_root(work), "WORK")
    end
  end
end
