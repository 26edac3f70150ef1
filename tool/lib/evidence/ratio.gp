# times faster than the base, by length of the slice; License: Ruby's
load here . "/common.gp"
set logscale x
set xrange [8:1000]
set yrange [0.6:*]
set xtics (8, 16, 32, 64, 128, 256, 512, 1000)
set xlabel "length of the slice (bytes)"
set ylabel "times faster than the base"
set title "A tail of an unshared string, source (2000 bytes) built afresh each time"
# where each cutoff ends: cutoffs is "128=103 160=135 ..."
do for [i=1:words(cutoffs)] {
    border = word(cutoffs, i)
    equal = strstrt(border, "=")
    at = substr(border, equal + 1, strlen(border)) + 0.5
    set arrow from at, graph 0 to at, graph 1 nohead dt 3 lc rgb "#888888"
    set label sprintf("%s: %.0f B", substr(border, 1, equal - 1), at - 0.5) at at, graph 0.98 right rotate by 90 offset -0.6, 0 tc rgb "#555555" font ",11"
}
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb "#000000" lw 1
# the lowest and highest round of the series alone: of all, they hide each other
plot data using 1:(column(3*own-1)):(column(3*own)):(column(3*own+1)) with yerrorbars lc rgb colour(own+1) pt 6+own ps 0.4 lw 0.5 notitle, \
     for [i=1:words(series)] data using 1:(column(3*i-1)) with linespoints lc rgb colour(i+1) pt 6+i ps 0.6 lw 1.5 title name(i)
