# What retained tails hold on to: bytes a slice by ObjectSpace.memsize_of_all, and
# the resident set, each case in a process of its own.

require "objspace"
require_relative "common"

opt = Evidence.options(<<~USAGE, count: nil) do |o, opt|
  Keeps many tails and tells what they take, in bytes a slice.
    dropped   each cut off a source of its own, 1100 bytes, that is let go
    pair      the same with a source of 8 bytes more than the tail ("host:...")
    kept      each cut off a source of its own that is kept
    one       all cut off one source, neither frozen nor shared before
  For kept, what the sources alone take is taken off.
USAGE
  o.on("--lengths LIST", Array, "of these lengths (bytes)") { |v| opt[:lengths] = v.map { |n| Integer(n) } }
  o.on("--count N", Integer, "slices a case (200000)") { |v| opt[:count] = v }
end

count = opt[:count] || (opt[:quick] ? 10_000 : 200_000)
# the longest that each slot holds (header, terminator), the next, and some others
slots = GC.respond_to?(:stat_heap) ? GC.stat_heap.map { |_, heap| heap[:slot_size] } : [40]
lengths = opt[:lengths] || slots.flat_map { |slot| [slot - 25, slot - 24] }.push(103, 104, 200, 231, 232, 1000).select { |n| n.between?(8, 1000) }.uniq.sort
HEAD = "a" * 550

def resident
  File.read("/proc/self/statm").split[1].to_i * 4096 if File.exist?("/proc/self/statm")
end

def build(kind, size, count)
  kept = Array.new(count)
  sources = Array.new(count)
  one = HEAD + HEAD
  one << "a" if one.frozen?
  pair = "a" * (8 + size)
  half = pair.byteslice(0, 8)
  rest = ("a" * size).freeze
  2.times { GC.start }
  before = [ObjectSpace.memsize_of_all, resident]
  case kind
  when "dropped" then count.times { |i| kept[i] = (HEAD + HEAD).byteslice(1100 - size, size) }
  when "pair"    then count.times { |i| kept[i] = (half + rest).byteslice(8, size) }
  when "kept"    then count.times { |i| kept[i] = (sources[i] = HEAD + HEAD).byteslice(1100 - size, size) }
  when "sources" then count.times { |i| sources[i] = HEAD + HEAD }
  when "one"     then count.times { |i| kept[i] = one.byteslice(1100 - size, size) }
  end
  2.times { GC.start }
  after = [ObjectSpace.memsize_of_all, resident]
  raise "slice" unless kind == "sources" || kept.all? { |s| s.bytesize == size }

  after.zip(before).map { |a, b| a && (a - b) / count.to_f }
end

# in a child where the system has fork
def cell(kind, size, count)
  return build(kind, size, count) unless Process.respond_to?(:fork)

  reader, writer = IO.pipe
  pid = fork do
    reader.close
    writer.write(Marshal.dump(build(kind, size, count)))
    writer.close
    exit!(0)
  end
  writer.close
  result = reader.read
  Process.wait(pid)
  raise "#{kind} #{size} died" if result.empty?

  Marshal.load(result)
end

sources = cell("sources", 1, count)
rows = %w[dropped pair kept one].flat_map do |kind|
  lengths.map do |size|
    bytes, rss = cell(kind, size, count)
    bytes -= sources[0] if kind == "kept"
    rss &&= rss - sources[1] if kind == "kept"
    { "case" => kind, "length" => size, "bytes" => bytes.round(1), "rss" => rss&.round(1) }
  end
end
Evidence.report(rows, opt, count: count)
