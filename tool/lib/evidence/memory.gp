# bytes that a retained slice holds, by its length; License: Ruby's
load here . "/common.gp"
set logscale xy
set xrange [8:1000]
set yrange [30:2500]
set xtics (8, 16, 32, 64, 103, 135, 231, 500, 1000)
set ytics (40, 80, 160, 320, 640, 1280, 2000)
set xlabel "length of the slice (bytes)"
set ylabel "bytes a retained slice"
set title "Retained slices: all of one source (lines), source dropped (dashes)"
plot for [i=1:words(series)] data using 1:(column(2*i)) with linespoints lc rgb colour(i) pt 5+i ps 0.5 lw 1.5 title name(i), \
     for [i=1:words(series)] data using 1:(column(2*i+1)) with lines lc rgb colour(i) dt 2 lw 1.5 notitle
