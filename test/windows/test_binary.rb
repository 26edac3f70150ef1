# frozen_string_literal: true
# What the linker made of it: who exports, imports and refers to which memchr.

require_relative "helper"

class TestBinary < Minitest::Test
  CRT = "api-ms-win-crt-private-l1-1-0.dll"

  def objdump(*args)
    Linesplit.capture!("objdump", *args)
  end

  def dll(work)
    Dir.glob(File.join(work, "obj/x64-ucrt-ruby*.dll")).fetch(0)
  end

  def extensions(work)
    dir = File.join(work, "obj/.ext/x64-mingw-ucrt")
    Dir.glob("**/*.so", base: dir).to_h { |name| [name, File.join(dir, name)] }
  end

  def exports(file)
    objdump("-p", file)[/^\[Ordinal\/Name Pointer\] Table.*?(?=^\S)/m].scan(/^\t\[ *\d+\](?: \+base\[ *\d+\] +\h+)? (\S+)$/).flatten
  end

  # { name of the DLL in lower case => [imported names] }
  def imports(file)
    objdump("-p", file).scan(/^\tDLL Name: (\S+)\n(.*?)^\n/m).to_h do |name, rows|
      [name.downcase, rows.scan(/^\t\h+\s+(?:\d+|<none>)(?:\s+\h+)?\s+(\S+)$/).flatten]
    end
  end

  # Objects of the DLL that refer to a name, or to the import of it.
  def users_of(name, work)
    objects = Dir.glob("{*.o,*.obj,missing/*.o,prism/*.o,prism/util/*.o,win32/*.o,enc/*.o}", base: File.join(work, "obj"))
    assert_operator objects.size, :>, 90
    list = Linesplit.capture!("nm", "-A", "-u", *objects, chdir: File.join(work, "obj"))
    list.scan(/^([^:]+):.* U (?:__imp_)?#{name}$/).flatten.uniq.sort
  end

  def prism?(object)
    object.start_with?("prism/") || File.basename(object).start_with?("pm_")
  end

  def test_exports
    base, patched = [Windows.base, Windows.patched].map { |work| exports(dll(work)) }
    assert_operator base.size, :>, 1000
    assert_equal ["rb_w32_memchr"], patched - base
    assert_empty base - patched
    refute_includes patched, "memchr"
  end

  def test_core_objects
    base = users_of("memchr", Windows.base)
    %w[re.o io.o string.o sprintf.o].each { |object| assert_includes base, object }
    assert base.any? { |object| prism?(object) }

    patched = users_of("memchr", Windows.patched)
    assert patched.all? { |object| prism?(object) }, patched.inspect
    assert_equal base.select { |object| prism?(object) }, patched
    assert_equal base.reject { |object| prism?(object) }, users_of("rb_w32_memchr", Windows.patched)
  end

  def test_imports
    [Windows.base, Windows.patched].each { |work| assert_includes imports(dll(work))[CRT], "memchr" }
    base, patched = [Windows.base, Windows.patched].map { |work| extensions(work).transform_values { |file| imports(file) } }
    assert_operator base.size, :>, 20
    assert_equal base, patched
    assert_includes patched["stringio.so"][CRT], "memchr"
    patched.each { |name, from| refute_includes from.values.flatten, "rb_w32_memchr", name }
  end

  # Every extension of either build loads in the other one, and works there.
  def test_extensions_are_interchangeable
    names = extensions(Windows.patched).keys.grep_v(/\A-test-/).map { |name| name.delete_suffix(".so") }
    script = <<~'RUBY'
      dir = ARGV.shift
      $:.unshift dir
      ARGV.each { |name| require "#{name}.so" }
      loaded = $".grep(/\.so\z/).select { |file| file.start_with?(dir) }.size
      io = StringIO.new("a\nb\n" * 2)
      puts [loaded >= ARGV.size - 8, io.gets, io.each_line.count, Date.new(2026, 1, 2).to_s,
            JSON::VERSION.class, Zlib.crc32("a")].inspect
    RUBY
    [[Windows.base, Windows.patched], [Windows.patched, Windows.base]].each do |host, guest|
      dir = Linesplit.path_in_wine(File.join(guest, "obj/.ext/x64-mingw-ucrt"))
      out, status = Windows.ruby(host, "-rrbconfig", "-e", script, dir, *names)
      assert_equal 0, status, out
      assert_equal %([true, "a\\n", 3, "2026-01-02", String, 3904355907]\n), out.delete("\r")
    end
  end

  # Only x64-mingw-ucrt's core sees the macro: what the preprocessor makes of
  # the header for others is what it made of it before.
  def test_other_targets
    seen = ->(work, *flags) { Windows.preprocess(work, "-E", "-P", *flags) }
    core = "-DRUBY_EXPORT"
    assert_match(/^want\(rb_w32_memchr\)/, seen[Windows.patched, core])
    assert_match(/^want\(memchr\)/, seen[Windows.base, core])
    [["-m32", core], ["-D__MSVCRT_VERSION__=0x700", "-U_UCRT", core], []].each do |flags|
      patched = seen[Windows.patched, *flags]
      assert_match(/^want\(memchr\)/, patched)
      assert_equal seen[Windows.base, *flags], patched, flags.inspect
    end
  end
end
