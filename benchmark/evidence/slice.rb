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
# around each border: of the slots' sizes, of the cutoffs, and of sharing at all
lengths = opt[:lengths] ||
          (opt[:quick] ? [1, 15, 16, 50, 103, 104, 135, 136, 231, 232, 500] :
           [1, 8, 15, 16, 32, 50, 55, 56, 64, 80, 100, 103, 104, 120, 127, 128, 135, 136, 160, 200, 231, 232, 250, 295, 296, 400, 500, 615, 616, 999, 1000])
few = opt[:lengths] || (opt[:quick] ? [50, 135, 136] : [15, 16, 103, 104, 135, 136, 231, 232, 500])

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

cases = SOURCES.flat_map { |source, (_, whole)| (whole < 1000 ? few : lengths).map { |n| [source, "UTF-8", "drop", n] } }
%w[UTF-16LE UTF-32LE BINARY].each { |enc| %w[unshared frozen].each { |source| few.each { |n| cases << [source, enc, "drop", n & -4] if n > 3 } } }
%w[append setbyte keep].each { |use| (SOURCES.keys - ["embedded"]).each { |source| few.each { |n| cases << [source, "UTF-8", use, n] } } }
cases.select! { |source, *| source == opt[:only] } if opt[:only]
cases.select! { |source, _, _, n| n <= SOURCES[source][1] }
cases.uniq!
# A Ruby that has made larger slots has more to sweep in each GC from then on: so
# first what every Ruby shares, then the longest, and the shorter the later.  What is
# kept makes the heap grow and then shrink again: last.
cases.sort_by!.with_index { |(source, _, use, n), i| [use == "keep" ? 1 : 0, %w[frozen shared].include?(source) ? 0 : 1, -n, i] }

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
    slices = -> { LOOPS[[source, use]].call(string, head, whole - size, size, kept, byte, count) }
    # The heap grows in runs that do not count, until no further one needs fewer GC
    # runs.  A GC after them would give pages back, and getting them again would be
    # what is measured.
    GC.start
    needed = nil
    5.times do
      runs = Evidence.measure(&slices)["gc_runs"]
      break if needed && runs >= needed
      needed = runs
    end
    GC.start if kept&.fill(nil)
    Evidence.measure(&slices)
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
