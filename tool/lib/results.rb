# frozen_string_literal: true
# What stands in a directory of results, as tables: for tool/report and for the
# texts of tool/pull-request.  No figure in either comes from anywhere else.

require "time"
require_relative "compare"

module Linesplit
  # A table as it is shown: columns and rows are strings, the first column names
  # the row.  facts says what was measured on what, slower holds the names of
  # rows in which the series loses, says what the program that measured concludes.
  Table = Struct.new(:kind, :title, :columns, :rows, :note, :says, :facts, :slower, :file, keyword_init: true) do
    def markdown
      rule = columns.each_index.map { |i| i.zero? ? ":--" : "--:" }
      ["**#{title}**#{" — #{note}" if note}", "", *says&.map { |s| "- #{s}" }, *("" if says && !says.empty?),
       *([columns, rule, *rows].map { |row| "| #{row.map { |c| c.to_s.gsub("|", "\\|") }.join(" | ")} |" } unless rows.empty?),
       "", *("<sub>#{circumstances}</sub>" unless circumstances.empty?), ""].join("\n")
    end

    # base, compiler, machine, and which commit and series.
    def circumstances
      [facts["base"], facts["compiler"], facts["machine"], *("source #{facts["source"]}" if facts["source"]),
       *("series #{facts["series"]}" if facts["series"]), *("project at #{facts["commit"][0, 10]}" if facts["commit"]), facts["time"]].compact.join("; ")
    end

    # The same for results of another base or another directory.
    def key
      [kind, title.gsub(/CRuby [\w.-]+/, "CRuby").sub(LINES_OF_TEXT, "")]
    end

    # A rough result, or one of some benchmarks only.
    def quick?
      File.basename(file).match?(/\b(?:quick|part)\b/)
    end
  end

  # Of a table over the lines of a text; the text grows.
  LINES_OF_TEXT = /\(\d+, mean [\d.]+ bytes\) /.freeze

  # Slower: the best rounds differ by more than this, and no round says otherwise.
  NOTICEABLE = 0.02

  module_function

  # Every table that the JSON files of a directory (or one such file) hold, by file.
  def tables(path)
    files = File.directory?(path) ? Dir.glob(File.join(path, "**/*.json")).sort : [path]
    files.flat_map do |file|
      data = JSON.parse(File.read(file))
      name = File.basename(file, ".json")
      found = data.is_a?(Hash) && data["verdict"] ? evidence_tables(data, name, file.sub(/json\z/, "md")) : tables_of(data, name)
      found.each { |t| t.file = file }
    rescue JSON::ParserError => e
      raise Error, "#{file} is not whole (#{e.message.lines.first.strip[0, 60]}); make it anew or take it away"
    end
  end

  # Known by their shape; what tells of the circumstances stands around them.
  def tables_of(data, name, around = {})
    case data
    when Array then data.flat_map { |d| tables_of(d, name, around) }
    when Hash
      return [benchmark_table(data, name)] if data["jobs"]
      return [lines_table(data, around, name)] if data["seconds"]
      return [micro_table(data, around, name)] if data["table"] && data["rows"].all? { |r| r["cells"] }

      facts = around.merge(data.reject { |_, v| v.is_a?(Array) || (v.is_a?(Hash) && !v.key?("cpu")) })
      if data["rows"].is_a?(Array) && data["rows"].all?(Hash) && !data["rows"].empty?
        [rows_table(data["rows"], facts, name)]
      else
        data.flat_map { |key, v| v.is_a?(Array) || v.is_a?(Hash) ? tables_of(v, key =~ /\A(tables|results)\z/ ? name : "#{name} #{key}", facts) : [] }
      end
    else []
    end
  end

  def facts(data)
    machine = data["machine"]
    machine = machine.values_at("cpu", "os").compact.join(", ") if machine.is_a?(Hash)
    base = data["base"] if data["base"].is_a?(String)
    { "base" => base || data["ruby"], "patched" => data["patched"], "compiler" => data["compiler"], "machine" => machine,
      "target" => data["target"], "source" => data["source"], "commit" => data["commit"], "series" => data["series"], "time" => data["time"] }.select { |_, v| v.is_a?(String) && !v.empty? }
  end

  def f2(number)
    format("%.2f", number)
  end

  def slower?(ratio)
    ratio["ratio"] < 1 - NOTICEABLE && ratio["high"] < 1
  end

  # Iterations a second of tool/bench.
  def benchmark_table(data, name)
    ratios = data["jobs"].transform_values { |v| ratio(v) }
    rows = data["jobs"].map do |job, v|
      r = ratios[job]
      [job, si(v["base"].max), si(v["patched"].max), f2(r["ratio"]), "#{f2(r["low"])}–#{f2(r["high"])}"]
    end
    words = name.delete_prefix("benchmark-").sub(/\A[\w-]*?#{Regexp.escape(data["source"].to_s)}-?/, "").split("-")
    with = (words - %w[quick part]).join("-")
    title = "make benchmark, #{data["target"] || "host"}, CRuby #{data["source"]}#{" (#{words.join(", ")})" unless words.empty?}"
    Table.new(kind: "benchmark", title: title, columns: ["benchmark", "base", "patched", "ratio", "rounds"], rows: rows,
              note: "iterations a second, best of #{data["rounds"]} interleaved rounds; ratio of the bests, and of single rounds",
              facts: facts(data).merge("with" => with), slower: ratios.select { |_, r| slower?(r) }.map { |job, r| "#{job}: #{f2(r["ratio"])}" })
  end

  # GB/s of benchmark/lines.rb.
  def lines_table(data, around, name)
    who = data["seconds"].values.first.keys
    slower = []
    rows = data["seconds"].map do |operation, times|
      first = times[who[0]]
      cells = who.drop(1).flat_map do |w|
        mine = times[w]
        rounds = first.zip(mine).map { |a, b| a / b }
        r = { "ratio" => first.min / mine.min, "low" => rounds.min, "high" => rounds.max }
        slower << "#{operation}, #{w}: #{f2(r["ratio"])}" if slower?(r)
        [f2(data["bytes"][operation] / mine.min / 1e9), f2(r["ratio"]), "#{f2(r["low"])}–#{f2(r["high"])}"]
      end
      [operation, f2(data["bytes"][operation] / first.min / 1e9), *cells]
    end
    # a file of tool/bench has base and options in its name
    known = data["source"] && name.start_with?(known_as = "lines-#{data["target"]}-#{data["source"]}")
    words = known ? name.delete_prefix(known_as).split("-").reject(&:empty?) : [name]
    title = "Lines in Ruby#{", #{data["target"]}, CRuby #{data["source"]}" if known}#{" (#{words.join(", ")})" unless words.empty?}"
    Table.new(kind: "lines", title: title,
              columns: ["operation", who[0], *who.drop(1).flat_map { |w| who.size > 2 ? [w, "ratio #{w}", "rounds #{w}"] : [w, "ratio", "rounds"] }], rows: rows,
              note: "GB/s, best of #{data["seconds"].values.first.values.first.size} interleaved rounds; ratio to #{who[0]}",
              facts: facts(around.merge(data)), slower: slower)
  end

  # Tables of benchmark/c: best, median and worst of each candidate.
  OURS = /\A(?:rb_w32_memchr|unrolled)\z/
  def micro_table(data, around, name)
    columns = data["rows"].flat_map { |r| r["cells"].keys }.uniq
    memchr = data["table"].start_with?("memchr")
    more = data["unit"].include?("GB/s") || data["unit"].include?("bytes a")
    slower = []
    rows = data["rows"].map do |row|
      spread = 0
      cells = columns.map do |c|
        cell = row["cells"][c] or next "–"
        spread = [spread, (cell["median"].to_f - cell["best"]).abs / cell["best"]].max if cell["best"].to_f.positive?
        if memchr && c.match?(OURS) && (bytes = row["cells"]["bytes"])
          # neither the best nor the median may be due to other work
          ratios = %w[best median].map { |which| more ? cell[which] / bytes[which] : bytes[which] / cell[which] }
          slower << "#{row["row"]}: #{c} #{f2(cell["best"])}, bytes #{f2(bytes["best"])} #{data["unit"]}" if ratios.max < 1 - NOTICEABLE
        end
        f2(cell["best"])
      end
      [row["row"], *cells, format("%.0f %%", spread * 100)]
    end
    where = [around["compiler"].to_s.include?("mingw") ? "x64-mingw-ucrt" : "host", ("under #{around["runner"]}" unless around["runner"].to_s.empty?),
             ("with the patched libucrt.a" if around["libucrt"]), ("quick" if around["quick"])].compact.join(", ")
    Table.new(kind: memchr ? "memchr" : "micro", title: "#{data["table"]} (#{where})",
              columns: ["", *columns.map { |c| c == "libc" && around["libucrt"] ? "mingw-w64" : c }, "spread"], rows: rows, note: "#{data["unit"]}, best of interleaved rounds; spread: of the medians from the bests",
              facts: facts(around), slower: slower)
  end

  # tool/evidence writes its own tables, under headings, as Markdown.
  def evidence_tables(data, name, file)
    raise Error, "#{file} is missing beside its .json; run tool/evidence again" unless File.exist?(file)

    File.read(file).split(/^## /).drop(1).filter_map do |section|
      heading, *lines = section.lines(chomp: true)
      says, lines = lines.partition { |l| l.start_with?("- ") }
      table, = lines.partition { |l| l.start_with?("|") }
      cells = table.map { |l| l.delete_prefix("|").delete_suffix("|").split("|", -1).map(&:strip) }
      next if says.empty? && cells.empty?

      says.map! { |s| s.delete_prefix("- ") }
      Table.new(kind: "evidence", title: "#{heading} (CRuby #{data["source"]}#{", quick" if data["quick"]})", columns: cells[0] || [], rows: cells.drop(2),
                note: lines.find { |l| l.match?(/\A\w.*\.\z/) }, says: says, facts: facts(data), slower: says.grep(/\ATimings of #{data["own_cutoff"] || ".*"}: .*slower beyond noise: /))
    end
  end

  # Anything else that is a list of rows with the same keys.
  def rows_table(rows, facts, name)
    columns = rows.flat_map(&:keys).uniq
    cells = rows.map { |row| columns.map { |c| v = row[c]; v.is_a?(Float) ? f2(v) : v.is_a?(Hash) || v.is_a?(Array) ? JSON.generate(v) : v.to_s } }
    Table.new(kind: "evidence", title: facts["table"] || name.tr("_", " "), columns: columns, rows: cells, facts: facts(facts), slower: [])
  end
end
