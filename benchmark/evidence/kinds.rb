# One kind of slice after the other, for callgrind to count the instructions of:
# Process.getpgrp before and after each marks where it begins and ends.

require_relative "common"

opt = Evidence.options(<<~USAGE, count: 2000) do |o, opt|
  Prints the kinds in the order in which they run.  By itself it measures nothing:
    valgrind --tool=callgrind --dump-before=proc_getpgrp ruby kinds.rb
  writes one file before each mark; every second of them is one kind.
USAGE
  o.on("--count N", Integer, "slices of a kind (2000)") { |v| opt[:count] = v }
end

HALF = "a" * 1000
KINDS = [10, 15, 50, 100, 103, 104, 135, 136, 200, 231, 232, 500, 1000].map { |n| ["unshared", n] } +
        %w[frozen shared middle].product([10, 100, 135, 200, 1000])

# the loop of each kind, so that a kind has inline caches of its own
def loop_of(kind)
  source = kind == "unshared" ? "(head + head)" : "string"
  eval("->(string, head, from, size, count) { i = 0; while i < count; #{source}.byteslice(from, size); i += 1; end }")
end

GC.start
GC.disable
rows = KINDS.map do |kind, size|
  string = HALF + HALF
  string.freeze if kind == "frozen"
  string.byteslice(1000, 1000) if kind == "shared"
  from = 2000 - size - (kind == "middle" ? 1 : 0)
  run = loop_of(kind)
  # leaves the heap with more free slots, and malloc with more free chunks, than
  # the counted slices need
  run.call(string, HALF, from, size, 2 * opt[:count])
  GC.enable
  GC.start
  GC.disable
  Process.getpgrp
  run.call(string, HALF, from, size, opt[:count])
  Process.getpgrp
  { "kind" => kind, "length" => size }
end
Evidence.report(rows, opt, count: opt[:count])
