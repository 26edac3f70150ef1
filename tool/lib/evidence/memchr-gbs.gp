# bytes a second that memchr gets through, by implementation; License: Ruby's
load here . "/common.gp"
set style data histograms
set style histogram clustered gap 1.5
set style fill solid 0.9 noborder
set logscale y
set yrange [1:200]
set xlabel "n, match in the last byte"
set ylabel "GB/s"
set title "memchr by implementation"
plot for [i=1:words(series)] data using (column(i+1)):xtic(system("printf %s '" . strcol(1) . "' | tr '~' ' '")) lc rgb colour(i) title name(i)
