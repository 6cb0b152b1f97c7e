#!/bin/sh
# Runs what `mvn package` built; the options of the virtual machine make it start in half the time.
here=$(dirname "$0")
options="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m"
exec java $options -cp "$here/target/classes:$here/target/lib/*" org.quorate.watch.MainKt "$@"
