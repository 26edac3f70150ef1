# frozen_string_literal: true
# The pictures, by gnuplot, as SVG and PNG.

require_relative "variants"

module Linesplit
  # Okabe and Ito's colours, told apart by colour-blind readers too.
  COLOURS = %w[#000000 #0072B2 #E69F00 #009E73 #CC79A7 #56B4E9 #D55E00 #999999].freeze

  module_function

  # Draws what there are figures for; returns the files.
  def draw(result, stem)
    others = result["variants"] - ["base"]
    caption = "#{result["base"][/\Aruby \S+/].sub("ruby", "CRuby")}, #{result["machine"]["cpu"]}, #{result["machine"]["os"]}"
    cutoffs = result["verdict"]["candidates"].filter_map { |n, c| "#{n}=#{c["copies_up_to"]}" if c["copies_up_to"] < 600 }
    [plot("ratio", "#{stem}-ratio", caption, ratio_data(result, others), "cutoffs" => cutoffs.join(" "), "own" => others.index(series_name(result)) + 1),
     plot("memory", "#{stem}-memory", caption, memory_data(result)),
     *memchr_pictures].flatten
  end

  # A column of lengths, then for each variant the ratio, lowest and highest.
  def ratio_data(result, others)
    rows = result["slices"].select { |r| r.values_at("source", "encoding", "use") == %w[unshared UTF-8 drop] }.sort_by { |r| r["length"] }
    [others, rows.map { |row| [row["length"], *others.flat_map { |n| faster(row["variants"], n, "with_source_ns").values_at("ratio", "low", "high") }] }]
  end

  # A column of lengths, then for each variant bytes a slice with the source kept
  # (all of one source) and with it dropped.
  def memory_data(result)
    names = result["variants"]
    lengths = result["memory"]["base"]["rows"].map { |r| r["length"] }.uniq.sort
    bytes = names.to_h { |n| [n, by_case(result["memory"][n])] }
    [names, lengths.map { |length| [length, *names.flat_map { |n| [bytes[n][["one", length]], bytes[n][["dropped", length]]] }] }]
  end

  # Runs NAME.gp with the data in a file and what it needs to know as variables.
  def plot(name, stem, caption, (series, rows), more = {})
    Dir.mktmpdir do |dir|
      data = File.join(dir, "data")
      File.write(data, rows.map { |row| row.map { |v| v.nil? ? "NaN" : v }.join("\t") + "\n" }.join)
      vars = { "here" => __dir__, "data" => data, "caption" => caption, "series" => series.map { |s| s.tr(" ", "~") }.join(" "), "colours" => COLOURS.join(" "), **more }
      setup = vars.map { |k, v| v.is_a?(Integer) ? "#{k} = #{v}" : "#{k} = \"#{v}\"" }
      %w[svg png].map do |type|
        out = "#{stem}.#{type}"
        term = { "svg" => "svg size 800,480 dynamic font 'DejaVu Sans,13' background 'white' noenhanced",
                 "png" => "pngcairo size 1600,960 font 'DejaVu Sans,13' fontscale 1.7 linewidth 2 pointscale 1.6 background 'white' noenhanced" }[type]
        File.write(File.join(dir, "plot"), [*setup, "set terminal #{term}", "set output \"#{out}\"", "load \"#{File.join(__dir__, "#{name}.gp")}\""].join("\n") + "\n")
        capture!("gnuplot", File.join(dir, "plot"))
        out
      end
    end
  end

  # The memchr curves, from what the micro-benchmarks left in the results directory.
  def memchr_pictures
    Dir.glob(File.join(results_dir, "microbench*.json")).sort.flat_map do |file|
      bench = JSON.parse(File.read(file))
      caption = [bench["compiler"], *("under #{bench["runner"].capitalize}" unless bench["runner"].to_s.empty?), *bench["machine"].values_at("cpu", "os")].join(", ")
      { "ns" => "memchr, match last, aligned", "gbs" => "memchr, match last" }.filter_map do |picture, title|
        found = bench["tables"].find { |t| t["table"] == title } or next
        names = found["rows"][0]["cells"].keys
        label = ->(row) { picture == "gbs" ? row["row"].tr(" ", "~") : row["n"] }
        rows = found["rows"].map { |row| [label[row], *names.map { |n| row["cells"].dig(n, "best") }] }
        plot("memchr-#{picture}", file.sub(/\.json\z/, "-#{picture}"), caption, [names, rows])
      end
    end
  end
end
