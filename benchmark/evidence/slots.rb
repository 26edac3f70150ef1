# Objects a second and GC runs by slot size.

require "objspace"
require_relative "common"

opt = Evidence.options("Allocates 10 million strings (--quick: 1 million) that fill a slot of each size;\nGC runs are given for 10 million.") do |o, opt|
  o.on("--count N", Integer, "strings of a size") { |v| opt[:count] = v }
end
count = opt[:count] || (opt[:quick] ? 1_000_000 : 10_000_000)

def allocate(head, tail, count)
  i = 0
  while i < count
    head + tail
    i += 1
  end
end

sizes = GC.respond_to?(:stat_heap) ? GC.stat_heap.map { |_, heap| heap[:slot_size] }.uniq.sort : [40]
rows = sizes.filter_map do |slot|
  # header (flags, class, length), bytes, terminator
  bytes = slot - 24 - 1
  next if bytes < 2

  head = "a" * (bytes / 2)
  tail = "a" * (bytes - bytes / 2)
  next unless ObjectSpace.memsize_of(head + tail) == slot

  GC.start
  allocate(head, tail, count / 50)
  GC.start
  m = Evidence.measure { allocate(head, tail, count) }
  { "slot" => slot, "million_a_second" => count / m["ns"] * 1e3, "gc_runs" => m["gc_runs"] * 10_000_000 / count }
end
Evidence.report(rows, opt)
