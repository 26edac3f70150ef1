# How many objects one tail allocates, for every length from 1 to 1000 bytes.

require_relative "common"

opt = Evidence.options("Counts the objects that source.byteslice(from, length) allocates at every length.\n" \
                       "Lengths with the same count are one row.")

MAKE = {
  "unshared" => ->(enc) { ("a" * 2000).force_encoding(enc) },
  "embedded" => ->(enc) { ("a" * 600).force_encoding(enc) },
  "chilled" => ->(_) { eval("\"#{"a" * 600}\"") },
  "frozen" => ->(enc) { ("a" * 2000).force_encoding(enc).freeze },
  "shared" => ->(enc) { s = ("a" * 2000).force_encoding(enc); s.byteslice(1000, 1000); s },
}
MAKE.delete("chilled") unless Evidence.chilled_literals?

def objects_of_tail(string, size)
  from = string.bytesize - size
  before = GC.stat(:total_allocated_objects)
  tail = string.byteslice(from, size)
  objects = GC.stat(:total_allocated_objects) - before
  raise "byteslice #{size}" unless tail.b == "a" * size

  objects
end

# the first call from a place allocates its cache
objects_of_tail("a" * 2000, 1)
GC.disable
rows = MAKE.flat_map do |name, make|
  encodings = %w[UTF-8 UTF-16LE UTF-32LE BINARY]
  encodings = ["UTF-8"] if name == "chilled"
  encodings.flat_map do |enc|
    width = { "UTF-16LE" => 2, "UTF-32LE" => 4 }.fetch(enc, 1)
    whole = make[enc].bytesize
    counts = (width..[whole, 1000].min).step(width).map { |n| [n, objects_of_tail(make[enc], n)] }
    GC.enable
    GC.start
    GC.disable
    counts.chunk_while { |a, b| a[1] == b[1] }.map do |run|
      { "source" => name, "encoding" => enc, "from" => run[0][0], "to" => run[-1][0], "objects" => run[0][1] }
    end
  end
end
Evidence.report(rows, opt)
