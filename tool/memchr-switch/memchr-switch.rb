# frozen_string_literal: true
# License: Ruby's
#
# Another memchr for the Ruby that runs this, without rebuilding it: the entry
# of memchr in the import table of Ruby's DLL is pointed at a function of
# memchr-switch.dll.  For x64-mingw-ucrt Rubies.
#
#   gcc -O2 -shared -o memchr-switch.dll benchmark/c/candidates.c
#   ruby tool/memchr-switch/memchr-switch.rb memchr-switch.dll            the table
#   ruby tool/memchr-switch/memchr-switch.rb memchr-switch.dll NAME FILE  FILE runs with memchr_NAME

# The import table of a PE32+ image, read through IMAGE, which answers
# (offset, size) with bytes, or with nil where there are none.
module ImportTable
  Bad = Class.new(StandardError)

  # More reads than any real table takes: what refers to itself ends, too.
  LIMIT = 500_000

  module_function

  # Offsets of the address-table entries of NAME, with the DLL each is from:
  # [[dll, offset], ...].
  def entries(image, name)
    reads = 0
    limited = ->(offset, size) { image.call(offset, size) if (reads += 1) < LIMIT }
    pe = number(limited, 0x3c, "V")
    read(limited, 0, 2) == "MZ" && read(limited, pe, 4) == "PE\0\0" or raise Bad, "not a PE image"
    magic = number(limited, pe + 24, "v")
    magic == 0x20b or raise Bad, format("an optional header of kind %#x: only PE32+ (64 bits) is supported", magic)
    number(limited, pe + 132, "V") > 1 or raise Bad, "no import directory"

    found = []
    descriptors(limited, number(limited, pe + 144, "V")) do |dll, lookup, addresses|
      names(limited, lookup) { |i, import| found << [dll, addresses + 8 * i] if import == name }
    end
    found
  end

  # Yields name, lookup table and address table of every DLL imported from.
  def descriptors(image, at)
    return if at == 0

    loop do
      lookup, _, _, dll, addresses = read(image, at, 20).unpack("V5")
      return if dll == 0 && addresses == 0

      # Without a lookup table the names were in the address table, until the
      # image was loaded.
      yield string(image, dll), lookup, addresses unless lookup == 0
      at += 20
    end
  end

  def names(image, lookup)
    i = 0
    until (entry = number(image, lookup + 8 * i, "Q<")) == 0
      by_ordinal = entry[63] == 1
      yield i, string(image, (entry & 0x7fff_ffff) + 2) unless by_ordinal
      i += 1
    end
  end

  def read(image, offset, size)
    bytes = image.call(offset, size)
    bytes && bytes.bytesize == size or raise Bad, format("a table that leads to %#x, where nothing is", offset)
    bytes
  end

  def number(image, offset, format)
    read(image, offset, { "v" => 2, "V" => 4, "Q<" => 8 }.fetch(format)).unpack1(format)
  end

  def string(image, offset)
    text = "".b
    until (byte = read(image, offset + text.size, 1)) == "\0"
      text << byte
    end
    text
  end
end

# The import of memchr of the running Ruby's DLL.
class MemchrSwitch
  NAMES = %w[bytes swar musl sse2 rb_w32_memchr unrolled].freeze
  PAGE_READWRITE = 4

  def initialize(dll)
    RUBY_PLATFORM == "x64-mingw-ucrt" or raise "this is #{RUBY_PLATFORM}; the switch is for x64-mingw-ucrt"
    require "fiddle"
    require "rbconfig"
    require "tempfile"
    kernel = Fiddle.dlopen("kernel32.dll")
    function = ->(lib, name, arguments, result) { Fiddle::Function.new(lib[name], arguments, result) }
    pointer = Fiddle::TYPE_VOIDP
    @protect = function[kernel, "VirtualProtect", [pointer, Fiddle::TYPE_SIZE_T, Fiddle::TYPE_INT, pointer], Fiddle::TYPE_INT]
    handle = function[kernel, "GetModuleHandleA", [pointer], pointer]
    address = function[kernel, "GetProcAddress", [pointer, pointer], pointer]
    copy = function[kernel, "ReadProcessMemory", [pointer, pointer, pointer, Fiddle::TYPE_SIZE_T, pointer], Fiddle::TYPE_INT]

    # RubyInstaller keeps the DLL beside ruby.exe or in a folder of its own; loaded, it has one name.
    name = "#{RbConfig::CONFIG["LIBRUBY_SO"].delete_suffix(".dll")}.dll"
    @base = handle.call(name).to_i
    @base != 0 or raise "#{name} is not loaded in this process"
    address.call(@base, "rb_w32_memchr").to_i == 0 or
      raise "#{name} has rb_w32_memchr: what it imports from the C library, it does not use for strings"

    # The image by pages.  Unlike a pointer, this call says when there is nothing.
    pages = Hash.new do |h, n|
      page = "\0".b * 4096
      h[n] = copy.call(-1, @base + n * 4096, page, 4096, nil) != 0 ? page : nil
    end
    image = lambda do |offset, size|
      bytes = (offset / 4096..(offset + size - 1) / 4096).map { |n| pages[n] or return nil }.join
      bytes[offset % 4096, size]
    end
    entries = ImportTable.entries(image, "memchr")
    entries.size == 1 or raise "#{name} imports memchr #{entries.size} times, not once"
    @from, offset = entries[0]
    offset % 8 == 0 && image[offset, 8] or raise ImportTable::Bad, "#{name}: the entry of memchr is outside of it"
    @slot = Fiddle::Pointer.new(@base + offset)
    @original = read

    @library = Fiddle.dlopen(File.expand_path(dll))
    @functions = NAMES.to_h { |n| [n, @library[n == "unrolled" ? "rb_w32_memchr_unrolled" : n.start_with?("rb_") ? n : "memchr_#{n}"]] }
    at_exit { write(@original) }
  end

  # The DLL that memchr comes from, as the import table names it.
  attr_reader :from

  def names
    [from, *NAMES]
  end

  # Points the import at the named function and sees that Ruby still finds things.
  def to(name)
    write(name == from ? @original : @functions.fetch(name))
    check
  rescue Exception => e # a function that answers wrongly may ask for all memory
    write(@original)
    raise "with #{name}, #{e.message}"
  end

  def read
    @slot[0, 8].unpack1("Q<")
  end

  private

  def write(address)
    old = "\0".b * 4
    @protect.call(@slot, 8, PAGE_READWRITE, old) != 0 or raise "VirtualProtect refused"
    @slot[0, 8] = [address].pack("Q<")
    @protect.call(@slot, 8, old.unpack1("V"), old) != 0 or raise "VirtualProtect refused to restore"
    read == address or raise "the import table did not take the address"
  end

  def check
    text = (0..300).map { |n| "a".b * n << "\n" }
    whole = text.join
    position = 0
    text.each do |line|
      found = whole.index("\n", position)
      found == position + line.size - 1 or raise "String#index answers #{found.inspect} at #{position}"
      position = found + 1
    end
    whole.index("\0").nil? && whole.each_line.to_a == text or raise "String#each_line splits wrongly"
    Tempfile.create("lines", binmode: true) do |file|
      file.write(whole)
      file.rewind
      text.map { file.gets } == text && file.gets.nil? or raise "IO#gets splits wrongly"
    end
  end
end

if $PROGRAM_NAME == __FILE__
  dll, name, *rest = ARGV
  usage = <<~USAGE
    usage: ruby memchr-switch.rb memchr-switch.dll [NAME FILE [ARGUMENTS]]

    Points the memchr of the Ruby that runs this at each function of the DLL in turn and
    prints how fast it searches and splits lines, in GB/s; or runs FILE with the one named:
    #{MemchrSwitch::NAMES.join(", ")}, or the DLL that it comes from.
    For x64-mingw-ucrt Rubies.
  USAGE
  %w[--help -h].include?(dll) and puts(usage) || exit
  dll or abort usage
  begin
    switch = MemchrSwitch.new(dll)
  rescue StandardError => e
    abort "memchr-switch: #{e.message}"
  end
  if name
    switch.names.include?(name) && rest[0] or abort "memchr-switch: NAME is one of #{switch.names.join(", ")}, and a file to run follows"
    switch.to(name)
    ARGV.replace(rest.drop(1))
    load rest[0]
  else
    require "tmpdir"
    require_relative "../../benchmark/lines"
    Dir.mktmpdir do |dir|
      list = Lines.operations(64, 64, File.join(dir, "lines"))
      puts RUBY_DESCRIPTION
      results = Lines.rounds(list.map(&:name), switch.names, 3) do |which, i|
        switch.to(which)
        Lines.run(list[i])
      end
      rows = Lines.rows(results)
      Lines.table(rows, Lines.bytes(rows, list.to_h { |o| [o.name, o.bytes] }), switch.names)
    end
  end
end
