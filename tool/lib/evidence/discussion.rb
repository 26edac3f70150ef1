# frozen_string_literal: true
# The figures of Feature #22186, and this machine's beside them.

module Linesplit
  # By length in bytes, how many times faster than before.  arm64 macOS, 4.1dev.
  THREAD_NONE = { 50 => 1.34, 100 => 1.26, 200 => 1.07, 250 => 1 / 1.31, 500 => 1 / 1.28, 999 => 1 / 1.83, 1000 => 1.0 }.freeze
  THREAD_256 = { 50 => 1.30, 100 => 1.31, 200 => 1.11, 231 => 1.06, 500 => 1.0 }.freeze
  # Retained slices of one source: times what a shared one takes.
  THREAD_MEMORY = { "none" => 25.6, "256" => 6.4, "128" => 3.2 }.freeze
  # By slot size: GC runs and million objects a second, 10 million allocated.
  THREAD_SLOTS = { 32 => [67, 39.3], 40 => [79, 37.2], 64 => [133, 35.3], 128 => [195, 32.3], 160 => [239, 30.2], 256 => [396, 23.3],
                   512 => [781, 19.3], 640 => [997, 17.8], 1024 => [1604, 14.9] }.freeze
  # Of 109 header values, 44 embedded before; of 65 shared ones so many copied.
  THREAD_HEADERS = { "embedded" => 44 / 109.0, "copied at 128" => 44 / 65.0, "copied at 256" => 55 / 65.0 }.freeze

  module_function

  # Rows of { "what", "thread", "here", "unit", "says" }; says is nil where both
  # agree: within a tenth for times and ratios, a fifth for GC runs.
  def thread_figures(result)
    [*frozen_figures(result, "none, frozen too", THREAD_NONE, "no cap, frozen source"),
     *frozen_figures(result, "256, frozen too", THREAD_256, "cap of 256 B, frozen source"),
     *unshared_figures(result), *memory_figures(result), *slot_figures(result), *header_figures(result), *parser_figures(result)]
  end

  def figure(what, thread, here, unit, within: 0.1, why: nil)
    here = here.round(3)
    low, high = Array(thread).minmax
    agree = here.between?(low * (1 - within), high * (1 + within))
    show = ->(v) { number(v, unit) }
    says = "#{what}: #{show[here]} here, #{Array(thread).map(&show).uniq.join("–")} there#{why && ". #{why}"}." unless agree
    { "what" => what, "thread" => thread, "here" => here, "unit" => unit, "says" => says }
  end

  def number(value, unit)
    case unit
    when "x" then format("%.2fx", value)
    when "%" then format("%.0f %%", value * 100)
    when "objects" then format("%d objects", value)
    when "runs" then format("%d GC runs", value)
    else format("%.1f %s", value, unit)
    end
  end

  def slice(result, source, use, length)
    result["slices"].find { |r| r.values_at("source", "encoding", "use", "length") == [source, "UTF-8", use, length] }
  end

  def frozen_figures(result, variant, thread, what)
    largest = result["slots"]["rows"].map { |r| r["slot"] }.max
    thread.filter_map do |length, ratio|
      row = slice(result, "frozen", "drop", length)
      next unless row && row["variants"][variant]

      here = faster(row["variants"], variant, "with_source_ns")
      why = "#{length} B do not fit the largest slot of this Ruby, #{largest} B, and are shared by both" if length + 25 > largest && length < 1000
      why ||= "On #{result["base"][/\[(.*)\]/, 1]} with this Ruby's #{result["slots"]["rows"].size} slot sizes a copy has another price; " \
              "single rounds gave #{format("%.2f–%.2f", here["low"], here["high"])}"
      figure("#{what}, #{length} B", ratio, here["ratio"], "x", why: why)
    end
  end

  def unshared_figures(result)
    name = result["variants"].include?("256") ? "256" : nil
    return [] unless name

    [50, 100, 200, 231, 500].filter_map do |length|
      row = slice(result, "unshared", "drop", length) or next
      thread = length + 25 <= 256 ? [1.15, 1.20] : 1.0
      here = faster(row["variants"], name, "with_source_ns")
      figure("cap of 256 B, source built afresh, #{length} B", thread, here["ratio"], "x",
             why: "Single rounds gave #{format("%.2f–%.2f", here["low"], here["high"])}, building a source of 2000 bytes included")
    end
  end

  def memory_figures(result)
    base = by_case(result["memory"]["base"])
    one = base.select { |(kind, _), _| kind == "one" }
    smallest = one.values.min
    shared = result["version"] == "4.1" ? one.values.min : one[["one", 1000]]
    rows = [figure("200,000 slices kept, shared", 7.6, shared * 200_000 / 2**20, "MB")]
    THREAD_MEMORY.each do |name, ratio|
      measured = name == "256" && result["version"] == "4.1" ? result["memory"]["base"] : result["memory"][name]
      next unless measured

      slot = by_case(measured).select { |(kind, _), _| kind == "one" }.values.max
      rows << figure("slices kept, #{name == "none" ? "no cap" : "cap of #{name} B"}, at the worst length", ratio, slot / smallest, "x",
                     why: "The slot that the longest copy takes is of #{slot.round} B in this Ruby")
    end
    rows
  end

  def slot_figures(result)
    slots = result["slots"]["rows"].to_h { |r| [r["slot"], r] }
    forty = slots[40] or return []
    (THREAD_SLOTS.keys & slots.keys).flat_map do |slot|
      runs, speed = THREAD_SLOTS[slot]
      [figure("10 million objects of #{slot} B", runs, slots[slot]["gc_runs"], "runs", within: 0.2,
              why: "When GC runs depends on the size of the heap's pages and on how far it has grown, which are this version's and system's own"),
       figure("objects a second, #{slot} B against 40 B", speed / THREAD_SLOTS[40][1], slots[slot]["million_a_second"] / forty["million_a_second"], "x",
              why: "Here they are strings, whose bytes are copied as well")]
    end
  end

  def header_figures(result)
    row = result["cover"]["rows"].find { |r| r["lines"] == "response headers" }
    why = "The lines are this project's own, not the discussion's"
    THREAD_HEADERS.map do |name, part|
      if name == "embedded"
        figure("header values embedded before", part, row["embedded"] / row["values"].to_f, "%", why: why)
      else
        figure("of the shared header values, #{name} B", part, row[name] / row["shared"].to_f, "%", why: why)
      end
    end
  end

  def parser_figures(result)
    name = series_name(result) or return []
    result["parsers"]["rows"].flat_map do |row|
      saved = row["variants"]["base"]["objects"] - row["variants"][name]["objects"]
      by_length = row["variants"]["base"]["lengths"].zip(row["variants"][name]["lengths"]).map { |b, v| b - v }
      time = faster(row["variants"], name, "us")
      case row["parser"]
      when "ltsv"
        [figure("Fluentd's LTSV parser, time", [1.12, 1.24], time["ratio"], "x",
                why: "Single rounds gave #{format("%.2f–%.2f", time["low"], time["high"])}; the count of objects is the stable figure"),
         figure("Fluentd's LTSV parser, objects saved by a value", 1, by_length.max, "objects")]
      when "net-http" then [figure("Net::HTTPResponse, objects saved by a value", 1, by_length.max, "objects")]
      when "protocol-http1" then [figure("protocol-http1, objects saved", 0, saved, "objects")]
      else []
      end
    end
  end

  # The variant that is the series as it stands.
  def series_name(result)
    [result["own_cutoff"], result["variants"][1]].compact.find { |n| result["variants"].include?(n) }
  end
end
