# What one tail costs, by its length and by what it is cut from: nanoseconds (of
# CPU, the cost of making the source taken off), objects and GC runs.

require_relative "common"

opt = Evidence.options(<<~USAGE, lengths: nil) do |o, opt|
  Times source.byteslice(from, length) to the end of the source.
    source    unshared (made anew for each slice), embedded (the same, short),
              chilled (a literal; Ruby 3.4 and later), frozen, shared
    use       drop, keep (in an array), append (<< one byte), setbyte
USAGE
  o.on("--lengths LIST", Array, "of these lengths (bytes)") { |v| opt[:lengths] = v.map { |n| Integer(n) } }
  o.on("--count N", Integer, "slices a case") { |v| opt[:count] = v }
  o.on("--only SOURCE", "one source") { |v| opt[:only] = v }
end

count = opt[:count] || (opt[:quick] ? 15_000 : 25_000)
borders = [15, 16, 50, 103, 104, 135, 136, 200, 231, 232, 295, 296]
lengths = opt[:lengths] ||
          (opt[:quick] ? [1, *borders, 500] : [1, 8, 23, 32, 55, 56, 64, 80, 100, 120, 127, 128, 160, 250, 320, 400, 500, 575, 615, 616, 750, 999, 1000, *borders].sort)
few = opt[:lengths] || (opt[:quick] ? [50, 135, 136] : [8, *borders, 500])

SOURCES = {
  "unshared" => ["(head + head)", 2000], "embedded" => ["(head + head)", 600],
  "chilled" => ["\"#{"a" * 600}\"", 600], "frozen" => ["string", 2000], "shared" => ["string", 2000],
}
SOURCES.delete("chilled") unless Evidence.chilled_literals?
USES = { "none" => "%s", "drop" => "%s.byteslice(from, size)", "keep" => "kept[i] = %s.byteslice(from, size)",
         "append" => "%s.byteslice(from, size) << byte", "setbyte" => "%s.byteslice(from, size).setbyte(0, 98)" }
LOOPS = Hash.new do |h, (source, use)|
  h[[source, use]] = eval("->(string, head, from, size, kept, byte, count) { i = 0; while i < count; #{USES[use] % SOURCES[source][0]}; i += 1; end }")
end

cases = SOURCES.keys.flat_map { |source| lengths.map { |n| [source, "UTF-8", "drop", n] } }
%w[UTF-16LE UTF-32LE BINARY].each { |enc| %w[unshared frozen].each { |source| few.each { |n| cases << [source, enc, "drop", n & -4] if n > 3 } } }
%w[append setbyte keep].each { |use| (SOURCES.keys - ["embedded"]).each { |source| few.each { |n| cases << [source, "UTF-8", use, n] } } }
cases.select! { |source, *| source == opt[:only] } if opt[:only]
cases.select! { |source, _, _, n| n <= SOURCES[source][1] }
cases.uniq!

alone = {}
rows = cases.map do |source, encoding, use, size|
  whole = SOURCES[source][1]
  head = ("a" * (whole / 2)).force_encoding(encoding)
  string = head + head
  string.freeze if source == "frozen"
  string.byteslice(whole / 2, whole / 2) if source == "shared"
  byte = "b".dup.force_encoding(encoding == "BINARY" ? encoding : "UTF-8")
  byte = byte.encode(encoding) unless encoding == "BINARY"
  run = lambda do |use|
    kept = use == "keep" ? Array.new(count) : nil
    # the heap grows in a run that does not count
    LOOPS[[source, use]].call(string, head, whole - size, size, kept, byte, count / 2)
    kept&.fill(nil)
    GC.start
    Evidence.measure { LOOPS[[source, use]].call(string, head, whole - size, size, kept, byte, count) }
  end
  raise "byteslice" unless string.byteslice(whole - size, size).b == "a" * size

  # what making the source costs, at its best so far
  now = run["none"]
  best = alone[[source, encoding]] ||= now
  best["ns"] = [best["ns"], now["ns"]].min
  both = run[use]
  { "source" => source, "encoding" => encoding, "use" => use, "length" => size,
    "ns" => (both["ns"] - best["ns"]) / count, "with_source_ns" => both["ns"] / count,
    "objects" => ((both["objects"] - best["objects"]) / count.to_f).round(2),
    "gc_runs" => both["gc_runs"] - best["gc_runs"] }
end
Evidence.report(rows, opt, count: count)
