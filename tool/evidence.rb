# frozen_string_literal: true
# License: Ruby's
# Run by tool/evidence, where there is a ruby.

require "optparse"
require_relative "lib/evidence/run"

include Linesplit

opt = { base: "3.3", cutoffs: nil, rubies: [], rounds: 5 }
OptionParser.new(<<~USAGE) do |o|
  usage: tool/evidence [options] [DIR]

  Measures what a cutoff of str_subseq costs and gains: time, objects and instructions
  by length, retained memory, real parsers; and says which cutoff the figures support.
  Builds the base, the series and one Ruby per further cutoff first.  DIR is a CRuby
  git checkout or release tree, which is not changed; without it, Debian's source
  package of Ruby.

  Tables (Markdown), pictures (SVG, PNG) and every figure (JSON) go to build/results/.
  The programs that measure are benchmark/evidence/*.rb, each usable by itself.
USAGE
  o.on("--base VERSION", "Debian's ruby3.3 (default) or ruby3.4") { |v| opt[:base] = v }
  o.on("--quick", "in two minutes: fewer lengths and rounds") { opt.update(quick: true, rounds: 2) }
  o.on("--rounds N", Integer, "rounds, in each of which every Ruby runs (#{opt[:rounds]})") { |v| opt[:rounds] = v }
  o.on("--cutoffs LIST", Array, "slot sizes, and none (128,160,256,320,none; --quick: 128,160,256,none)") { |v| opt[:cutoffs] = v }
  o.on("--ruby NAME=COMMAND", "no builds: this Ruby; the first one given is the base") { |v| opt[:rubies] << v }
end.then { |parser| Linesplit.main { parser.parse! } }

main do
  raise Error, "one directory at the most; see --help" if ARGV.size > 1

  setup("build", ARGV[0])
  puts evidence(opt, ARGV[0])
end
