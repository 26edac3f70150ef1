# frozen_string_literal: true
# What str_subseq allocates and executes, base against patched.

require_relative "../helper"
require_relative "../../tool/lib/evidence/instructions"

class TestStrSubseq < Minitest::Test
  BASE, PATCHED = [Builds.base, Builds.patched].map { |work| Linesplit.variant(File.basename(work), work, nil) }

  # { "unshared UTF-8" => "1-15:1 16-1000:2" }
  def counts(variant)
    rows = Linesplit.measured(variant, "count.rb")["rows"]
    rows.group_by { |r| r.values_at("source", "encoding").join(" ") }
        .transform_values { |runs| runs.map { |r| "#{r["from"]}-#{r["to"]}:#{r["objects"]}" }.join(" ") }
  end

  def test_objects
    base = counts(BASE)
    patched = counts(PATCHED)
    { "UTF-8" => [15, 135, 1], "BINARY" => [15, 135, 1], "UTF-16LE" => [14, 134, 2], "UTF-32LE" => [12, 132, 4] }.each do |enc, (small, limit, width)|
      { "unshared" => 1000, "embedded" => 600 }.each do |source, last|
        assert_equal "#{width}-#{small}:1 #{small + width}-#{last}:2", base["#{source} #{enc}"], "base, #{source} #{enc}"
        assert_equal "#{width}-#{limit}:1 #{limit + width}-#{last}:2", patched["#{source} #{enc}"], "patched, #{source} #{enc}"
      end
      %w[frozen shared].each do |source|
        assert_equal ["#{width}-1000:1"] * 2, [base, patched].map { |c| c["#{source} #{enc}"] }, "#{source} #{enc}"
      end
    end
  end

  # All but the tails that are copied now execute what they did, within 1 %.
  def test_instructions
    base, patched = [BASE, PATCHED].map { |v| Linesplit.instructions(v) }
    refute_nil base
    base.each do |kind, count|
      source, size = kind.split
      if source == "unshared" && size.to_i.between?(16, 135)
        assert_operator patched[kind], :<, count, kind
      else
        assert_in_delta 1.0, patched[kind] / count, 0.01, "#{kind}: #{count} instructions a slice, patched #{patched[kind]}"
      end
    end
  end
end
