# frozen_string_literal: true
# Trying another memchr without a rebuild: the import table's parser, whatever
# it is given, and the switch on the base build under Wine.

require_relative "helper"
require_relative "../../tool/memchr-switch/memchr-switch"

class TestImportTable < Minitest::Test
  # A PE file as the loader lays it out: headers, then sections at their addresses.
  def self.image(file)
    data = File.binread(file)
    pe = data[0x3c, 4].unpack1("V")
    sections, optional = data[pe + 6, 2].unpack1("v"), data[pe + 20, 2].unpack1("v")
    memory = data[0, 4096].ljust(data[pe + 80, 4].unpack1("V"), "\0".b)
    sections.times do |i|
      size, address, raw_size, raw = data[pe + 24 + optional + 40 * i + 8, 16].unpack("V4")
      memory[address, [size, raw_size].min] = data[raw, [size, raw_size].min] if raw > 0
    end
    memory
  end

  def self.base_image
    @base_image ||= image(Dir.glob(File.join(Windows.base, "obj/x64-ucrt-ruby*.dll")).fetch(0))
  end

  def image
    self.class.base_image
  end

  def entries(memory, name = "memchr")
    ImportTable.entries(->(offset, size) { memory[offset, size] }, name)
  end

  def test_finds_the_import
    (dll, offset), *others = entries(image)
    assert_empty others
    assert_equal "api-ms-win-crt-private-l1-1-0.dll", dll.downcase
    # Unbound, the address table still says the same as the lookup table: the name.
    hint = image[offset, 8].unpack1("Q<")
    assert_equal "memchr\0", image[hint + 2, 7]
    assert_empty entries(image, "no such function")
  end

  def test_bad_data
    pe = image[0x3c, 4].unpack1("V")
    patched = ->(offset, bytes) { image.dup.tap { |copy| copy[offset, bytes.bytesize] = bytes } }
    table = image[pe + 144, 4].unpack1("V")
    {
      "empty" => "", "no PE" => "MZ".ljust(64, "\0"), "text" => "#!/bin/sh\n" * 100,
      "header far away" => patched[0x3c, "\xff\xff\xff\x7f".b], "32 bits" => patched[pe + 24, "\x0b\x01".b],
      "directory far away" => patched[pe + 144, "\0\xff\xff\xff".b], "no directories" => patched[pe + 132, "\1\0\0\0".b],
      "names far away" => patched[table, "\xf0\xff\xff\xff".b], "DLL name far away" => patched[table + 12, "\xf0\xff\xff\xff".b],
      "cut off" => image[0, table + 30],
    }.each { |what, memory| assert_raises(ImportTable::Bad, what) { entries(memory) } }
  end

  # Whatever is in it, it is an answer or an error of its own kind.
  def test_random_damage
    random = Random.new(22463)
    pe = image[0x3c, 4].unpack1("V")
    table = image[pe + 144, 4].unpack1("V")
    60.times do
      damage = Array.new(random.rand(1..8)) { [random.rand(2) == 0 ? random.rand(pe + 200) : table + random.rand(4096), random.rand(256)] }.to_h
      damaged = lambda do |offset, size|
        bytes = image[offset, size] or return nil
        damage.each { |at, byte| bytes.setbyte(at - offset, byte) if at >= offset && at < offset + bytes.bytesize }
        bytes
      end
      begin
        assert_kind_of Array, ImportTable.entries(damaged, "memchr")
      rescue ImportTable::Bad
        pass
      end
    end
  end
end

class TestMemchrSwitch < Minitest::Test
  SCRIPT = File.join(Linesplit::ROOT, "tool/memchr-switch/memchr-switch.rb")
  CASES = "n = 0; ('a' * 99 + \"\\n\").then { |l| (l * 50).each_line { |x| x == l or raise; n += 1 } }; p n, ARGV, 'abc'.index('c')\n"

  def in_dir
    Windows.tmpdir do |dir|
      Windows.compile("gcc", "-O2", "-shared", "-o", File.join(dir, "memchr-switch.dll"),
                      File.join(Linesplit::ROOT, "benchmark/c/candidates.c"))
      File.write(File.join(dir, "cases.rb"), CASES)
      yield dir
    end
  end

  def switch(work, dir, *args)
    script, dll = [SCRIPT, File.join(dir, "memchr-switch.dll")].map { |file| Linesplit.path_in_wine(file) }
    Windows.ruby(work, script, dll, *args, chdir: dir)
  end

  def test_switch
    in_dir do |dir|
      MemchrSwitch::NAMES.each do |name|
        out, status = switch(Windows.base, dir, name, "cases.rb", "argument")
        assert_equal [%(50\n["argument"]\n2\n), 0], [out.delete("\r"), status], name
      end
      out, status = switch(Windows.base, dir, "nonsense", "cases.rb")
      assert_equal 1, status
      assert_match(/NAME is one of/, out)
    end
  end

  def test_patched_ruby_is_refused
    in_dir do |dir|
      out, status = switch(Windows.patched, dir, "sse2", "cases.rb")
      assert_equal 1, status
      assert_match(/has rb_w32_memchr/, out)
    end
  end

  # A function that answers wrongly is noticed, and does not stay.
  def test_wrong_function
    Windows.tmpdir do |dir|
      source = File.read(File.join(Linesplit::ROOT, "benchmark/c/candidates.c")).gsub(%r{"\.\./\.\./}, %("#{Linesplit.path_in_root(Linesplit::ROOT)}/))
      source.sub!('#include "candidates.h"', %(#include "#{Linesplit.path_in_root(File.join(Linesplit::ROOT, "benchmark/c/candidates.h"))}"))
      assert source.sub!("return bytes(s, c, n);", "return bytes(s, c, n / 2);")
      File.write(File.join(dir, "wrong.c"), source)
      Windows.compile("gcc", "-O2", "-shared", "-o", File.join(dir, "memchr-switch.dll"), File.join(dir, "wrong.c"))
      File.write(File.join(dir, "cases.rb"), CASES)
      out, status = switch(Windows.base, dir, "bytes", "cases.rb")
      assert_equal 1, status
      assert_match(/with bytes, (?:String#index answers|String#each_line splits wrongly|failed to allocate)/, out)
    end
  end
end
