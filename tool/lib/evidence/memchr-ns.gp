# nanoseconds of a memchr call, by n; License: Ruby's
load here . "/common.gp"
set xrange [0:65]
set yrange [0:*]
set xtics 8
set xlabel "n (bytes), match in the last one"
set ylabel "ns a call"
set title "memchr at the lengths of short lines"
plot for [i=1:words(series)] data using 1:(column(i+1)) with lines lc rgb colour(i) lw 1.5 title name(i)
