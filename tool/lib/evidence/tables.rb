# frozen_string_literal: true
# The tables and sentences of the evidence, as text and as Markdown.

module Linesplit
  module_function

  def summary(result)
    v = result["verdict"]
    rows = v["candidates"].map { |name, c| candidate_row(result, name, c) }
    ["", about(result), "", *table(rows, CANDIDATE_HEAD), "", *verdict_sentences(result), *slower_sentences(result), *instruction_sentences(result),
     *parser_sentences(result), "", "What Feature #22186 says, and comes out otherwise here:", *otherwise(result).map { |s| "  #{s}" }]
  end

  def about(result)
    "#{result["base"]}; #{[result["compiler"], *result["machine"].values_at("cpu", "os")].compact.reject(&:empty?).join("; ")}"
  end

  CANDIDATE_HEAD = ["cutoff", "copies up to", "an object less at", "an object more at", "memory, source dropped", "source kept", "breaks"].freeze

  def candidate_row(_result, name, c)
    [name, "#{c["copies_up_to"]} B", dash(c["saves"]), dash(c["more_at"]), format("%.2fx", c["dropped"]), format("%.2fx", c["retained"]),
     dash(c["breaks"].join(", "))]
  end

  def dash(text)
    text.empty? ? "–" : text
  end

  # One row for each base that has been measured, this one as it was just now.
  def verdict_rows(result)
    kept = Dir.glob(File.join(results_dir, "evidence-host-*.json")).map { |f| JSON.parse(File.read(f)) }
    newest = [*kept, result].group_by { |r| r["source"] }.map { |_, all| all.max_by { |r| [r["quick"] ? 0 : 1, r["time"]] } }
    newest.sort_by { |r| r["source"] }.map do |r|
      list = r["verdict"]["candidates"]
      chosen = list[r["verdict"]["cutoff"]]
      stands = ->(name) { list[name] ? dash(list[name]["breaks"].join(", ")).sub("–", "keeps the rules") : "is the base" }
      [r["source"], r["verdict"]["cutoff"], "#{chosen["copies_up_to"]} B", "#{list["base"]["copies_up_to"]} B", r["own_cutoff"] || "–", stands["128"], stands["256"]]
    end
  end

  VERDICT_HEAD = ["CRuby", "cutoff", "copies up to", "base copies up to", "in patches/", "128", "256"].freeze

  # Which cutoff, where the series stands, and where the two numbers of the
  # discussion do.
  def verdict_sentences(result)
    v = result["verdict"]
    list = v["candidates"]
    chosen = list[v["cutoff"]]
    lines = [if v["cutoff"] == "base"
               "Verdict for CRuby #{result["version"]}: the base stays as it is (it copies up to #{chosen["copies_up_to"]} bytes); no cutoff tried keeps every rule and saves an object."
             else
               "Verdict for CRuby #{result["version"]}: a cutoff of #{v["cutoff"]} B. It copies up to #{chosen["copies_up_to"]} bytes and saves an object at #{chosen["saves"]} bytes."
             end]
    lines << series_sentence(result, v) if result["own_cutoff"]
    { "128" => "the discussion's 128", "256" => "upstream's 256" }.each do |name, what|
      c = list[name] or next
      lines << "#{what.capitalize} B: #{standing(c, chosen)}" unless name == v["cutoff"]
    end
    if v["cutoff"] == "base" && result["version"].start_with?("4.1")
      lines << "There the base itself is upstream's 256 B. A smaller one gives up the object that it saves at " \
               "#{list.values.map { |c| c["more_at"] }.reject(&:empty?).max_by(&:size)} bytes; what it gains is memory where slices are kept with their source: " \
               "#{list.select { |n, c| n != "base" && c["more_at"] != "" }.map { |n, c| "#{n}: at most #{one_slot(result, n)} B a slice" }.join(", ")}, the base: #{one_slot(result, "base")} B."
    end
    lines
  end

  def series_sentence(result, verdict)
    own = result["own_cutoff"]
    if result["version"].start_with?("4.1") then "The optional patch for 4.1 has #{own} B; the series itself changes nothing there."
    elsif own == verdict["cutoff"] then "The series has #{own} B, as the figures say."
    else "The series has #{own} B, which is NOT what the figures say."
    end
  end

  def one_slot(result, name)
    by_case(result["memory"][name]).select { |(kind, _), _| kind == "one" }.values.max.round
  end

  # A candidate against the chosen one, in words.
  def standing(c, chosen)
    words = []
    words << "copies up to #{c["copies_up_to"]} bytes"
    words << "allocates an object more at #{c["more_at"]} bytes" unless c["more_at"].empty?
    words << "retains #{format("%.1f", c["retained"])} times the base's memory at #{c["retained_at"]} bytes" if c["breaks"].include?("retained")
    words << "retains more than the base with the source dropped (#{format("%.2fx", c["dropped"])} at #{c["dropped_at"]} bytes)" if c["breaks"].include?("dropped")
    words << "is slower at #{c["slower"].first(3).join(", ")}#{", …" if c["slower"].size > 3}" if c["breaks"].include?("slower")
    words << "keeps every rule, but saves an object at #{c["saves_at"]} lengths where #{chosen["saves_at"]} are to be had" if c["breaks"].empty?
    "#{words.join("; ")}."
  end

  # What two Rubies do alike shows the noise of a run: the ratio below which one
  # in twenty of those cases lies.  A case that they do not do alike is slower
  # where its ratio is below that, and every round of it below SLOWER.
  def slower(result, name)
    rows = result["slices"].select { |row| row["variants"][name] }.map { |row| [row, faster(row["variants"], name, "with_source_ns")] }
    alike, changed = rows.partition { |row, _| row["variants"].values_at("base", name).map { |v| v["objects"].round }.uniq.size == 1 }
    return [nil, [], changed] if alike.empty?

    noise = alike.map { |_, f| f["ratio"] }.sort[alike.size / 20]
    [noise, changed.select { |_, f| f["high"] < SLOWER && f["ratio"] < [noise, SLOWER].min }, changed]
  end

  # What the rule "slower" is about, { name => slices }.
  def too_slow(result)
    (result["variants"] - ["base"]).to_h do |name|
      [name, slower(result, name)[1].filter_map { |row, _| case_name(row) unless row["use"] == "keep" }]
    end
  end

  def slower_sentences(result)
    (result["variants"] - ["base"]).map do |name|
      noise, cases, changed = slower(result, name)
      ratios = changed.map { |_, f| f["ratio"] }.sort
      next "Timings of #{name}: none." unless noise && ratios.any?

      worst = cases.sort_by { |_, f| f["ratio"] }.first(6).map { |row, f| "#{case_name(row)} (#{format("%.2f", f["ratio"])})" }
      "Timings of #{name}: the #{ratios.size} cases that it changes run #{format("%.2f", ratios[ratios.size / 2])} times as fast in the median " \
        "(#{format("%.2f–%.2f", *ratios.minmax)}), where the cases that both do alike go down to #{format("%.2f", noise)}; " +
        (worst.empty? ? "none is slower beyond that noise." : "#{cases.size} slower beyond noise: #{worst.join(", ")}#{", …" if cases.size > 6}.")
    end
  end

  def case_name(row)
    [row["source"], *(row["encoding"] unless row["encoding"] == "UTF-8"), *(row["use"] unless row["use"] == "drop"), "#{row["length"]} B"].join(" ")
  end

  # [kind, base, other, ratio] of each kind of slice; nil where there was no count.
  def instruction_rows(result)
    base, other = result["instructions"].values
    base && other && base.map { |kind, n| [kind, n, other.fetch(kind), other.fetch(kind) / n] }
  end

  def instruction_sentences(result)
    rows = instruction_rows(result) or return ["Instructions: not counted (no symbols in one of the Rubies)."]
    name = result["instructions"].keys[1]
    limit = result["verdict"]["candidates"][name]["copies_up_to"]
    unchanged, changed = rows.partition { |_, _, _, ratio| (ratio - 1).abs <= 0.01 }
    odd = changed.reject { |kind, *| kind.start_with?("unshared") && kind.split[1].to_i.between?(16, [limit, 231].max) }
    ["Instructions of #{name} against the base: #{unchanged.size} kinds of slice within 1 %; changed: " \
     "#{dash(changed.map { |kind, _, _, ratio| "#{kind} B #{format("%.2fx", ratio)}" }.join(", "))}." +
      (odd.empty? ? "" : " NOT expected: #{odd.map(&:first).join(", ")}.")]
  end

  def parser_sentences(result)
    name = series_name(result) or return []
    rows = result["parsers"]["rows"].map do |row|
      base, other = row["variants"].values_at("base", name)
      same = row["variants"].values.map { |v| v["answer"] }.uniq.size == 1
      saved = base["lengths"].zip(other["lengths"]).each_with_index.filter_map { |(b, o), i| [i + 1, b - o] if b != o }
      spans = saved.chunk_while { |a, b| b[0] == a[0] + 1 && a[1] == b[1] }.map { |run| "#{run[0][0]}–#{run[-1][0]} B: #{run[0][1]}" }
      "#{row["parser"]} (#{row["loaded"]}): #{base["objects"]} objects, #{name}: #{other["objects"]}; fewer for one value of #{dash(spans.join(", "))}; answers #{same ? "agree" : "DIFFER"}."
    end
    rows + result["parsers"]["failed"].map { |parser, why| "#{parser}: #{why}." }
  end

  def otherwise(result)
    lines = result["thread"].filter_map { |f| f["says"] }
    lines.empty? ? ["nothing."] : lines
  end

  def markdown(head, rows)
    ["| #{head.join(" | ")} |", "|#{head.each_index.map { |i| i.zero? ? " --- |" : " ---: |" }.join}", *rows.map { |row| "| #{row.join(" | ")} |" }]
  end

  def spread(f)
    format("%.2f (%.2f–%.2f)", f["ratio"], f["low"], f["high"])
  end

  def report(result, pictures)
    others = result["variants"] - ["base"]
    v = result["verdict"]
    lines = ["# What a cutoff of str_subseq costs and gains: CRuby #{result["source"]}", "",
             "#{about(result)}. #{result["rounds"]} interleaved rounds#{", --quick" if result["quick"]}; #{result["time"]}.", "",
             "Variants: base, and the series with a cutoff of so many bytes (a slot size; none: the largest slot).", "",
             "## Verdict", "", *verdict_sentences(result).map { |s| "- #{s}" }, *slower_sentences(result).map { |s| "- #{s}" },
             *instruction_sentences(result).map { |s| "- #{s}" }, "",
             *markdown(CANDIDATE_HEAD, v["candidates"].map { |name, c| candidate_row(result, name, c) }), "", "The rules:", ""]
    lines += v["rules"].map { |name, text| "- *#{name}*: #{text}" }
    lines += ["", "## Verdicts of the bases measured so far", "", *markdown(VERDICT_HEAD, verdict_rows(result))]
    lines += ["", *pictures.grep(/svg\z/).map { |f| "![#{f[/\w+(?=\.svg)/]}](#{f})" }, "", "## Real parsers", "", *parser_sentences(result).map { |s| "- #{s}" }, ""]
    lines += markdown(["parser", "objects", *others.map { |n| "#{n}: objects" }, *others.map { |n| "#{n}: times faster" }],
                      result["parsers"]["rows"].map do |row|
                        ["#{row["parser"]} (#{row["loaded"]})", row["variants"]["base"]["objects"], *others.map { |n| row["variants"][n]["objects"] - row["variants"]["base"]["objects"] },
                         *others.map { |n| spread(faster(row["variants"], n, "us")) }]
                      end)
    lines += ["", "## Feature #22186", "", *markdown(["figure", "there", "here"], result["thread"].map { |f| [f["what"], Array(f["thread"]).map { |t| number(t, f["unit"]) }.uniq.join("–"), number(f["here"], f["unit"])] }),
              "", "Otherwise here:", "", *otherwise(result).map { |s| "- #{s}" }]
    lines += ["", "## Retained memory, bytes a slice (memsize_of_all; RSS in brackets)", "",
              *markdown(["case", "length", *result["variants"]], result["memory"]["base"]["rows"].map { |row|
                [row["case"], row["length"], *result["variants"].map { |n|
                  here = result["memory"][n]["rows"].find { |r| r.values_at("case", "length") == row.values_at("case", "length") }
                  "#{here["bytes"].round}#{" (#{here["rss"].round})" if here["rss"]}"
                }]
              })]
    lines += ["", "## Values of lines that a cutoff covers", "", *markdown(result["cover"]["rows"][0].keys, result["cover"]["rows"].map(&:values))]
    lines += ["", "## Slots", "", *markdown(["slot, B", "million objects a second", "GC runs for 10 million"], result["slots"]["rows"].map { |r| [r["slot"], format("%.1f", r["million_a_second"]), r["gc_runs"]] })]
    if (rows = instruction_rows(result))
      lines += ["", "## Instructions a slice", "", *markdown(["slice", *result["instructions"].keys, "ratio"], rows.map { |kind, b, o, r| ["#{kind} B", b.round, o.round, format("%.3f", r)] })]
    end
    lines += ["", "## Objects of one tail", "", *markdown(["source", "encoding", *result["variants"]], count_rows(result))]
    lines += ["", "## Times faster by length", "", "CPU time with what making the source costs: best of all rounds, and the lowest and highest ratio of one; alone: with that taken off. Objects and GC runs are those of the slice.", "",
              *markdown(["slice", "base, ns", "alone", "objects", "GC runs", *others.flat_map { |n| ["#{n}: times faster", "alone", "objects", "GC runs"] }],
                        result["slices"].map do |row|
                          base = row["variants"]["base"]
                          [case_name(row), *base.values_at("with_source_ns", "ns").map { |ns| format("%.0f", ns.min) }, base["objects"].round, base["gc_runs"].min,
                           *others.flat_map do |n|
                             here = row["variants"][n]
                             alone = base["ns"].min.positive? && here["ns"].min.positive? ? format("%.2f", base["ns"].min / here["ns"].min) : "–"
                             [spread(faster(row["variants"], n, "with_source_ns")), alone, here["objects"].round, here["gc_runs"].min]
                           end]
                        end)]
    lines.join("\n") + "\n"
  end

  def count_rows(result)
    runs = result["counts"].transform_values { |c| c["rows"].group_by { |r| r.values_at("source", "encoding") } }
    runs["base"].keys.map do |key|
      [*key, *result["variants"].map { |n| runs[n][key].map { |r| "#{r["from"]}–#{r["to"]}: #{r["objects"]}" }.join(", ") }]
    end
  end
end
