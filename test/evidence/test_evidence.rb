# frozen_string_literal: true
# tool/evidence --quick from end to end, and what it must find on 3.3 and 3.4.

require "rexml/document"
require_relative "../helper"
require_relative "../../tool/lib/evidence/verdict"

class TestEvidence < Minitest::Test
  Builds.base
  Builds.patched
  OUTPUT, STATUS = tool("evidence", "--quick", "--base", Builds.base_version)
  STEM = OUTPUT[/^figures\s+(.*)\.json$/, 1]
  RESULT = STEM && JSON.parse(File.read("#{STEM}.json"))

  def setup
    assert_equal 0, STATUS, OUTPUT
  end

  # { [case, length] => bytes a slice }
  def memory(name)
    RESULT["memory"][name]["rows"].to_h { |r| [r.values_at("case", "length"), r["bytes"]] }
  end

  def parser(name)
    RESULT["parsers"]["rows"].find { |r| r["parser"] == name } || flunk("#{name}: #{RESULT["parsers"]["failed"][name]}")
  end

  # { bytes of a value => objects saved by the series }
  def saved(parser)
    base, patched = parser["variants"].values_at("base", "160").map { |v| v["lengths"] }
    base.zip(patched).each_with_index.to_h { |(b, p), i| [i + 1, b - p] }
  end

  def test_verdict
    verdict = RESULT["verdict"]
    assert_equal "160", verdict["cutoff"]
    assert_equal({ "base" => [], "128" => [], "160" => [], "256" => ["retained"], "none" => ["retained"] },
                 verdict["candidates"].transform_values { |c| c["breaks"] })
    assert_equal({ "base" => 15, "128" => 103, "160" => 135, "256" => 231 },
                 verdict["candidates"].transform_values { |c| c["copies_up_to"] }.slice("base", "128", "160", "256"))
    assert_includes OUTPUT, "Verdict for CRuby #{RESULT["version"]}: a cutoff of 160 B."
    assert_includes OUTPUT, "The series has 160 B, as the figures say."
    assert(verdict["candidates"].values.all? { |c| c["other_sources_differ"].empty? })
  end

  def test_one_object_less
    base, series = RESULT["counts"].values_at("base", "160").map { |c| Linesplit.objects(c) }
    base.each do |(source, encoding, length), objects|
      width = { "UTF-16LE" => 2, "UTF-32LE" => 4 }.fetch(encoding, 1)
      copied = %w[unshared embedded chilled].include?(source) && objects == 2 && length + width + 24 <= 160
      assert_equal objects - (copied ? 1 : 0), series.fetch([source, encoding, length]), "#{source} #{encoding} #{length}"
    end
  end

  def test_ltsv
    row = parser("ltsv")
    assert_match(/\Afluentd-\d/, row["loaded"])
    saved(row).each { |length, objects| assert_equal length.between?(16, 135) ? 1 : 0, objects, "a value of #{length} bytes" }
  end

  def test_control
    base, series = parser("protocol-http1")["variants"].values_at("base", "160")
    assert_equal base.values_at("objects", "lengths"), series.values_at("objects", "lengths")
  end

  def test_answers
    assert_empty RESULT["parsers"]["failed"]
    RESULT["parsers"]["rows"].each { |row| assert_equal 1, row["variants"].values.map { |v| v["answer"] }.uniq.size, row["parser"] }
  end

  def test_memory
    base, series = memory("base"), memory("160")
    base.each do |(kind, length), bytes|
      limit = %w[dropped pair].include?(kind) ? 1.01 : 4.04
      assert_operator series[[kind, length]] / bytes, :<=, limit, "#{kind} #{length}"
    end
    assert_in_delta 4.0, series[["one", 135]] / base[["one", 135]], 0.04
    assert_operator series[["dropped", 135]], :<, base[["dropped", 135]] / 5
  end

  def test_instructions
    base, series = RESULT["instructions"].values_at("base", "160")
    base.each do |kind, count|
      next if kind =~ /\Aunshared (\d+)/ && $1.to_i.between?(16, 135)

      assert_in_delta 1.0, series.fetch(kind) / count, 0.01, kind
    end
  end

  def test_thread_figures
    assert_operator RESULT["thread"].size, :>=, 15
    RESULT["thread"].each { |f| assert_includes OUTPUT, f["says"] if f["says"] }
  end

  def test_pictures
    %w[ratio memory].each do |name|
      assert_equal "\x89PNG\r\n".b, File.binread("#{STEM}-#{name}.png", 6), name
      text = REXML::Document.new(File.read("#{STEM}-#{name}.svg")).root.get_elements("//text").map { |t| t.texts.join + t.get_elements(".//tspan").map { |s| s.texts.join }.join }.join("\n")
      ["CRuby", RESULT["machine"]["cpu"], "160", "none", "(bytes)"].each { |word| assert_includes text, word, name }
    end
  end

  def test_tables
    text = File.read("#{STEM}.md")
    [RESULT["base"], RESULT["machine"]["cpu"], "| LTSV access log |", "| one | 135 |", "| unshared 135 B |", "## Slots"].each { |s| assert_includes text, s }
  end
end
