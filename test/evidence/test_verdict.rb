# frozen_string_literal: true
# What decides the cutoff, on figures made for it; and the programs by themselves.

require_relative "../helper"
require_relative "../../tool/lib/evidence/run"

class TestVerdict < Minitest::Test
  # A Ruby that copies tails up to LIMIT bytes into slots of these sizes.
  def ruby(limit, slots: [40, 80, 160, 320, 640], more: 0, dropped: 1.0)
    slot = ->(n) { n <= limit ? slots.find { |s| n + 25 <= s } : 40 }
    memory = %w[dropped pair kept one].flat_map do |kind|
      [15, 16, limit, limit + 1, 500].uniq.map do |n|
        shared = { "dropped" => 1200, "pair" => 40 + (slots.find { |s| n + 33 <= s } || 700), "kept" => 80, "one" => 40 }[kind]
        { "case" => kind, "length" => n, "bytes" => (n <= limit ? slot[n] : shared) * (kind == "dropped" ? dropped : 1.0) }
      end
    end
    counts = [["unshared", limit, 1 + more, 2], ["frozen", 15, 1, 1]].flat_map do |source, to, low, high|
      [{ "source" => source, "encoding" => "UTF-8", "from" => 1, "to" => to, "objects" => low },
       { "source" => source, "encoding" => "UTF-8", "from" => to + 1, "to" => 1000, "objects" => high }]
    end
    [{ "rows" => counts }, { "rows" => memory }]
  end

  def verdict(slower: {}, **rubies)
    base = rubies[:base]
    lengths = base[1]["rows"].map { |r| r["length"] }
    # every Ruby is measured at the lengths of all
    all = rubies.values.flat_map { |_, m| m["rows"].map { |r| r["length"] } }.uniq
    filled = rubies.transform_values { |counts, memory| [counts, { "rows" => all.flat_map { |n| fill(memory, n) } }] }
    assert_operator lengths.size, :>, 2
    Linesplit.verdict(filled.to_h { |n, (c, _)| [n.to_s, c] }, filled.to_h { |n, (_, m)| [n.to_s, m] }, slower)
  end

  # what a Ruby takes at a length is what it takes at the next measured one
  def fill(memory, length)
    memory["rows"].group_by { |r| r["case"] }.map do |kind, rows|
      { "case" => kind, "length" => length, "bytes" => rows.sort_by { |r| r["length"] }.find { |r| r["length"] >= length }["bytes"] }
    end
  end

  def test_largest_that_keeps_the_rules
    v = verdict(base: ruby(15), "128": ruby(103), "160": ruby(135), "256": ruby(231), none: ruby(499))
    assert_equal "160", v["cutoff"]
    assert_equal ["retained"], v["candidates"]["256"]["breaks"]
    assert_equal 8.0, v["candidates"]["256"]["retained"]
    assert_equal "16–135", v["candidates"]["160"]["saves"]
  end

  def test_smaller_than_the_base
    slots = [40, 80, 96, 128, 160, 256, 512]
    v = verdict(base: ruby(231, slots: slots), "128": ruby(103, slots: slots), "160": ruby(135, slots: slots))
    assert_equal "base", v["cutoff"]
    assert_equal %w[objects dropped], v["candidates"]["128"]["breaks"]
    assert_equal "104–231", v["candidates"]["128"]["more_at"]
  end

  def test_more_with_the_source_dropped
    v = verdict(base: ruby(15), "160": ruby(135, dropped: 100))
    assert_equal ["base", ["dropped"]], [v["cutoff"], v["candidates"]["160"]["breaks"]]
  end

  def test_slower_is_not_supported
    v = verdict(base: ruby(15), "128": ruby(103), "160": ruby(135), slower: { "160" => ["unshared 120 B"] })
    assert_equal ["128", ["slower"]], [v["cutoff"], v["candidates"]["160"]["breaks"]]
  end

  def test_what_is_kept_is_judged_by_memory
    figures = ->(objects, ns) { { "objects" => objects, "with_source_ns" => [ns, ns] } }
    slices = [["drop", 1, 10.0], ["keep", 1, 30.0], ["append", 1, 30.0], ["drop", 2, 20.0]].map do |use, objects, ns|
      { "source" => "unshared", "encoding" => "UTF-8", "use" => use, "length" => 16, "variants" => { "base" => figures[2, 20.0], "160" => figures[objects, ns] } }
    end
    assert_equal({ "160" => ["unshared append 16 B"] }, Linesplit.too_slow({ "variants" => %w[base 160], "slices" => slices }))
  end

  # [objects on the base, on the other, ns of each round on the base, on the other]
  def slower(*rows)
    slices = rows.map do |b, o, base, other|
      { "variants" => { "base" => { "objects" => b, "with_source_ns" => base }, "160" => { "objects" => o, "with_source_ns" => other } } }
    end
    Linesplit.slower({ "slices" => slices }, "160")[1].map { |row, _| slices.index(row) }
  end

  def test_slower
    alike = [1, 1, [10.0, 10.0], [10.5, 10.2]]
    assert_equal [1], slower(alike, [2, 1, [10.0, 11.0], [12.0, 13.0]])
    assert_empty slower(alike, [2, 1, [10.0, 11.0], [12.0, 11.5]]), "in one round it is not"
    assert_empty slower([1, 1, [10.0, 10.0], [14.0, 14.0]], [2, 1, [10.0, 11.0], [12.0, 13.0]]), "within the noise"
    assert_empty slower([1, 1, [10.0, 10.0], [10.0, 10.0]], [2, 1, [10.0, 10.0], [10.5, 10.5]]), "by less than a tenth"
  end

  def test_faster
    f = Linesplit.faster({ "base" => { "ns" => [10.0, 12.0] }, "160" => { "ns" => [5.0, 8.0] } }, "160", "ns")
    assert_equal({ "ratio" => 2.0, "low" => 1.5, "high" => 2.0 }, f)
  end

  def test_thread_figure_says_where_it_differs
    assert_nil Linesplit.figure("time", 1.3, 1.25, "x")["says"]
    assert_nil Linesplit.figure("time", [1.12, 1.24], 1.3, "x")["says"]
    assert_equal "time: 0.90x here, 1.30x there. Because.", Linesplit.figure("time", 1.3, 0.9, "x", why: "Because")["says"]
  end

  PROGRAMS = Dir.glob(File.join(Linesplit::ROOT, "benchmark/evidence/*.rb")).reject { |f| %w[common.rb corpus.rb].include?(File.basename(f)) }

  def test_each_program_by_itself
    args = { "memory.rb" => %w[--count 500 --lengths 136], "slots.rb" => %w[--count 10000], "slice.rb" => %w[--count 500 --lengths 16,136], "kinds.rb" => %w[--count 10] }
    PROGRAMS.each do |program|
      out, err, status = Open3.capture3(RbConfig.ruby, program, "--json", "--quick", *args[File.basename(program)])
      assert status.success?, err
      rows = JSON.parse(out)["rows"]
      refute_empty rows, program unless program.end_with?("parsers.rb")
      out, code = run_command(RbConfig.ruby, program, "--help")
      assert_equal [0, true], [code, out.start_with?("usage: ")]
      out, code = run_command(RbConfig.ruby, program, "--nonsense")
      assert_equal [1, true], [code, out.include?("see --help")], out
    end
  end

  def test_cover_of_a_file
    Dir.mktmpdir do |dir|
      file = File.join(dir, "a log")
      File.write(file, "a=#{"x" * 15}\nb = #{"x" * 103} \nc=#{"x" * 104}\nd=#{"x" * 231}\ne=#{"x" * 232}\nno value\n")
      out, = run_command(RbConfig.ruby, File.join(Linesplit::ROOT, "benchmark/evidence/cover.rb"), "--json", "--separator", "=", file)
      row = JSON.parse(out)["rows"][0]
      assert_equal [5, 1, 4, 1, 2, 3], row.values_at("values", "embedded", "shared", "copied at 128", "copied at 160", "copied at 256")
    end
  end

  def test_wrong_options
    { %w[--cutoffs big] => "neither a number nor none", %w[--ruby x] => "give NAME=COMMAND", %w[a b] => "one directory at the most" }.each do |args, message|
      out, status = run_command(RbConfig.ruby, File.join(Linesplit::ROOT, "tool/evidence.rb"), *args)
      assert_equal [1, true], [status, out.include?(message)], out
    end
  end
end
