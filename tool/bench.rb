# frozen_string_literal: true
# License: Ruby's
# Run by tool/bench, where there is a ruby.

require "optparse"
require_relative "lib/compare"
require_relative "lib/lines"

include Linesplit

opt = { base: "3.3", with: [], rounds: nil, duration: 0.5, files: BENCHMARKS, target: nil }
OptionParser.new(<<~USAGE) do |o|
  usage: tool/bench [options] [DIR]

  Builds a CRuby and the same one with the series on it, compares the two by CRuby's
  own `make benchmark` over the series' benchmark files, and prints a table of how
  many times faster the patched one is; then both for x64-mingw-ucrt, where they
  search and split lines under Wine (benchmark/lines.rb), and the memchrs by
  themselves.  The base is Debian's source package of Ruby, or the CRuby git
  checkout or release tree DIR, which is not changed.

  Everything goes to build/; the figures of each round to build/results/.
USAGE
  o.on("--base VERSION", "Debian's ruby3.3 (default) or ruby3.4") { |v| opt[:base] = v }
  o.on("--target TARGET", %w[host x64-mingw-ucrt], "only host, or only x64-mingw-ucrt, which needs root (tool/root)") { |v| opt[:target] = v }
  o.on("--with NAME", "with the optional patch NAME (see tool/apply --list)") { |v| opt[:with] |= [v] }
  o.on("--quick", "a rough table in a couple of minutes") { opt.update(duration: 0.2) }
  o.on("--rounds N", Integer, "rounds, in each of which all run (5; in lines.rb 15)") { |v| opt[:rounds] = v }
  o.on("--duration SECONDS", Float, "of one benchmark in one round (#{opt[:duration]})") { |v| opt[:duration] = v }
  o.on("--item WORD", "only the benchmark files with WORD in their name, on host") { |v| opt[:files] = BENCHMARKS.grep(/#{Regexp.escape(v)}/) }
  o.on("--filter REGEXP", "only the benchmarks whose name matches, on host") { |v| opt[:filter] = v }
end.then { |parser| Linesplit.main { parser.parse! } }

# CRuby's own benchmark files on two builds for this machine.
def bench_host(source, opt)
  opt[:rounds] ||= opt[:duration] < 0.5 ? 2 : 5
  base = work(source)
  patched = work(patched_source(source, with: opt[:with]))
  [base, patched].each { |w| build(w) }
  jobs = benchmark(base, patched, **opt.slice(:files, :rounds, :duration, :filter))

  result = provenance(base, patched).merge("rounds" => opt[:rounds], "unit" => "i/s", "jobs" => jobs)
  name = ["benchmark", "host", File.basename(File.dirname(base)), *opt[:with], *("quick" if opt[:duration] < 0.5),
          *("part" if opt[:filter] || opt[:files] != BENCHMARKS)].join("-")
  file = File.join(results_dir, "#{name}.json")
  File.write(file, JSON.pretty_generate(result))

  puts "", "base     #{result["base"]}", "patched  #{result["patched"]}",
       "#{result["compiler"]}; #{result["machine"].values_at("cpu", "os").join(", ")}",
       "Iterations a second, best of #{opt[:rounds]} interleaved rounds; ratio of the two bests, and of single rounds.", ""
  rows = jobs.map do |job, values|
    r = ratio(values)
    [job, si(values["base"].max), si(values["patched"].max), format("%.2f", r["ratio"]), format("%.2f–%.2f", r["low"], r["high"])]
  end
  puts table(rows, ["benchmark", "base", "patched", "ratio", "rounds"]), "", "every round: #{file}"
end

# The table of Feature #22463 for x64-mingw-ucrt, under Wine, where each column
# has a patch more than the one before it; then the C functions by themselves.
def bench_windows(source, opt)
  base, patched = [source, patched_source(source, with: opt[:with])].map { |tree| work(tree, target: "x64-mingw-ucrt").tap { |w| build(w) } }
  text = ->(tree, file) { File.read(File.join(tree, file)) }
  works = { "base" => base, "+memchr" => patched }
  unless text[source, "string.c"] == text[patched, "src/string.c"]
    works["+memchr"] = with_source(patched, "memchr", "string.c", text[source, "string.c"])
    works["+str_subseq"] = patched
  end
  unrolled = patched_source(source, with: opt[:with] | ["unrolled"])
  works["+unrolled"] = with_source(patched, "unrolled", "win32/win32.c", text[unrolled, "win32/win32.c"])

  quick = opt[:duration] < 0.5
  file = File.join(results_dir, ["lines-x64-mingw-ucrt", File.basename(File.dirname(source)), *opt[:with], *("quick" if quick)].join("-") + ".json")
  puts "", lines(works, base, patched, file: file, quick: quick, rounds: opt[:rounds]), "",
       "Under Wine, whose C library the base's memchr is from, not Microsoft's.  A column has what the one before it has,",
       "and that; +unrolled, four blocks a step, is optional and not in the series.  Every round: #{file}", ""
  $stdout.flush
  system(File.join(ROOT, "tool/microbench"), "--target", "x64-mingw-ucrt", *("--quick" if quick)) or
    raise Error, "tool/microbench failed"
end

main do
  raise Error, "one directory at the most; see --help" if ARGV.size > 1
  raise Error, "no benchmark file has that in its name; there are #{BENCHMARKS.join(", ")}" if opt[:files].empty?

  setup("build", ARGV[0])
  source = base_source(base: opt[:base], dir: ARGV[0])
  targets = opt[:target] ? [opt[:target]] : %w[host x64-mingw-ucrt]
  targets.pop if !opt[:target] && (opt[:filter] || opt[:files] != BENCHMARKS)
  bench_host(source, opt.dup) if targets.include?("host")
  next unless targets.include?("x64-mingw-ucrt")
  next puts("", "x64-mingw-ucrt is left out: tool/root, where it is built, needs root") unless opt[:target] || Process.uid.zero?

  bench_windows(source, opt)
end
