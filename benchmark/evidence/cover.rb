# What a cutoff covers: how many values of a file's lines are embedded anyway,
# copied at each cutoff, and shared.

require_relative "common"
require_relative "corpus"

opt = Evidence.options(<<~USAGE, files: [], separator: ":", cutoffs: [128, 160, 256, 320]) do |o, opt|
  usage with files of your own: ruby cover.rb [--field SEP] [--separator SEP] FILE...
  A value is what follows the first separator of a line (of a field, with --field),
  blanks around it taken off.  Without FILE: this project's own header and log lines.
USAGE
  o.on("--field SEP", "lines are fields with SEP between them (\\t for a tab)") { |v| opt[:field] = v.gsub("\\t", "\t") }
  o.on("--separator SEP", "between name and value (:)") { |v| opt[:separator] = v.gsub("\\t", "\t") }
  o.on("--cutoffs LIST", Array, "slot sizes in bytes (128,160,256,320)") { |v| opt[:cutoffs] = v.map { |n| Integer(n) } }
end

# bytes that a slot holds: without flags, class, length and the terminator
HEADER = 25

def values(lines, field, separator)
  lines.flat_map { |line| field ? line.split(field) : [line] }
       .filter_map { |pair| pair.split(separator, 2)[1]&.strip }
end

corpora =
  if ARGV.empty?
    { "response headers" => values(Corpus.headers.flat_map { |lines| lines.drop(1) }, nil, ":"),
      "LTSV access log" => values(Corpus.ltsv, "\t", ":"), "query strings" => values(Corpus.queries, "&", "="),
      "application log" => values(Corpus.app_log, nil, "msg=") }
  else
    ARGV.to_h { |file| [file, values(File.foreach(file, chomp: true, mode: "rb"), opt[:field], opt[:separator])] }
  end

rows = corpora.map do |name, all|
  sizes = all.map(&:bytesize)
  shared = sizes.reject { |n| n + HEADER <= 40 }
  row = { "lines" => name, "values" => sizes.size, "median" => sizes.sort[sizes.size / 2].to_i, "longest" => sizes.max.to_i,
          "embedded" => sizes.size - shared.size, "shared" => shared.size }
  opt[:cutoffs].each { |cutoff| row["copied at #{cutoff}"] = shared.count { |n| n + HEADER <= cutoff } }
  row
end
Evidence.report(rows, opt)
