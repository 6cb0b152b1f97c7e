//! Commands that the front executes. All clients share one connection to Redis, so that the order of the log is the
//! order of execution. A command must not change that connection (`SELECT`, `MULTI`, `SUBSCRIBE`, `CLIENT`), wait
//! on it (`BLPOP`, `WAIT`) or administer the server. All commands that are not listed are refused.
//!
//! Scripts are executed only if the operator enables them (`scripts = true`), because they bypass this list: a
//! script can call any command, including `MOVE`, `SWAPDB` and `MIGRATE`, and a script that does not end blocks all
//! clients until an operator kills it in Redis. The log contains the script, not its effects. Functions (`FCALL`,
//! `FUNCTION`) are never executed: the log would not even contain their text.

use crate::resp::Command;

/// The commands, sorted.
#[rustfmt::skip]
const ALLOWED: &[&str] = &[
    "APPEND", "BITCOUNT", "BITFIELD", "BITFIELD_RO", "BITOP", "BITPOS", "COMMAND", "COPY", "DBSIZE", "DECR",
    "DECRBY", "DEL", "DUMP", "ECHO", "EXISTS", "EXPIRE",
    "EXPIREAT", "EXPIRETIME", "FLUSHALL", "FLUSHDB", "GEOADD", "GEODIST", "GEOHASH", "GEOPOS", "GEORADIUS",
    "GEORADIUSBYMEMBER", "GEORADIUSBYMEMBER_RO", "GEORADIUS_RO", "GEOSEARCH", "GEOSEARCHSTORE", "GET",
    "GETBIT", "GETDEL", "GETEX", "GETRANGE", "GETSET", "HDEL", "HEXISTS", "HGET", "HGETALL", "HINCRBY",
    "HINCRBYFLOAT", "HKEYS", "HLEN", "HMGET", "HMSET", "HRANDFIELD", "HSCAN", "HSET", "HSETNX", "HSTRLEN",
    "HVALS", "INCR", "INCRBY", "INCRBYFLOAT", "INFO", "KEYS", "LCS", "LINDEX", "LINSERT", "LLEN", "LMOVE",
    "LMPOP", "LOLWUT", "LPOP", "LPOS", "LPUSH", "LPUSHX", "LRANGE", "LREM", "LSET", "LTRIM", "MGET", "MSET",
    "MSETNX", "OBJECT", "PERSIST", "PEXPIRE", "PEXPIREAT", "PEXPIRETIME", "PFADD", "PFCOUNT", "PFMERGE",
    "PING", "PSETEX", "PTTL", "PUBLISH", "RANDOMKEY", "RENAME", "RENAMENX", "RESTORE", "RPOP", "RPOPLPUSH",
    "RPUSH", "RPUSHX", "SADD", "SCAN", "SCARD", "SDIFF", "SDIFFSTORE", "SET", "SETBIT", "SETEX",
    "SETNX", "SETRANGE", "SINTER", "SINTERCARD", "SINTERSTORE", "SISMEMBER", "SMEMBERS", "SMISMEMBER",
    "SMOVE", "SORT", "SORT_RO", "SPOP", "SRANDMEMBER", "SREM", "SSCAN", "STRLEN", "SUBSTR", "SUNION",
    "SUNIONSTORE", "TIME", "TOUCH", "TTL", "TYPE", "UNLINK", "XACK", "XADD", "XAUTOCLAIM", "XCLAIM", "XDEL",
    "XGROUP", "XINFO", "XLEN", "XPENDING", "XRANGE", "XREAD", "XREADGROUP", "XREVRANGE", "XSETID", "XTRIM",
    "ZADD", "ZCARD", "ZCOUNT", "ZDIFF", "ZDIFFSTORE", "ZINCRBY", "ZINTER", "ZINTERCARD", "ZINTERSTORE",
    "ZLEXCOUNT", "ZMPOP", "ZMSCORE", "ZPOPMAX", "ZPOPMIN", "ZRANDMEMBER", "ZRANGE", "ZRANGEBYLEX",
    "ZRANGEBYSCORE", "ZRANGESTORE", "ZRANK", "ZREM", "ZREMRANGEBYLEX", "ZREMRANGEBYRANK", "ZREMRANGEBYSCORE",
    "ZREVRANGE", "ZREVRANGEBYLEX", "ZREVRANGEBYSCORE", "ZREVRANK", "ZSCAN", "ZSCORE", "ZUNION", "ZUNIONSTORE",
];

/// Commands that run scripts, sorted.
const SCRIPTS: &[&str] = &["EVAL", "EVALSHA", "EVALSHA_RO", "EVAL_RO", "SCRIPT"];

/// Returns true if the front executes a command. A client checks before it signs, so that no sequence number is
/// lost; only the front knows whether scripts are enabled.
pub fn is_allowed(command: &Command<'_>, scripts: bool) -> bool {
    let mut arguments = command.arguments();
    let Some(name) = arguments.next().and_then(uppercase) else { return false };
    let is_listed = |list: &[&str]| list.binary_search(&name.as_str()).is_ok();
    if !(is_listed(ALLOWED) || scripts && is_listed(SCRIPTS)) {
        return false;
    }
    match name.as_str() {
        "XREAD" | "XREADGROUP" => reads_without_waiting(arguments),
        // Other subcommands stop or debug the scripts of all clients.
        "SCRIPT" => matches!(arguments.next().and_then(uppercase).as_deref(), Some("LOAD" | "EXISTS")),
        _ => true,
    }
}

/// Parses the options as Redis does, because a group or a consumer may be named `STREAMS` or `BLOCK`. Unknown
/// options and options that make the command wait are refused.
fn reads_without_waiting<'a>(mut arguments: impl Iterator<Item = &'a [u8]>) -> bool {
    while let Some(option) = arguments.next().and_then(uppercase) {
        let values = match option.as_str() {
            "STREAMS" => return true,
            "GROUP" => 2,
            "COUNT" | "CLAIM" => 1,
            "NOACK" => 0,
            _ => return false,
        };
        if values > 0 && arguments.nth(values - 1).is_none() {
            return false;
        }
    }
    false
}

fn uppercase(name: &[u8]) -> Option<String> {
    let longest = ALLOWED.iter().map(|name| name.len()).max().unwrap_or_default();
    let text = std::str::from_utf8(name).ok().filter(|text| text.len() <= longest)?;
    Some(text.to_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resp::encode_command;

    fn allowed(line: &str) -> bool {
        let bytes = encode_command(&line.split(' ').collect::<Vec<_>>()).unwrap();
        is_allowed(&Command::parse(&bytes).unwrap(), true)
    }

    #[test]
    fn scripts_are_executed_only_if_enabled() {
        for line in ["EVAL x 0", "evalsha x 0", "EVAL_RO x 0", "EVALSHA_RO x 0", "SCRIPT LOAD x"] {
            let bytes = encode_command(&line.split(' ').collect::<Vec<_>>()).unwrap();
            let command = Command::parse(&bytes).unwrap();
            assert!(is_allowed(&command, true) && !is_allowed(&command, false), "{line}");
        }
        assert!(!allowed("FCALL x 0"), "functions administer the server");
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(ALLOWED.is_sorted() && SCRIPTS.is_sorted());
    }

    #[test]
    fn data_commands_pass_and_connection_commands_do_not() {
        for line in [
            "GET a",
            "set a 1",
            "XREAD STREAMS block 0",
            "xread count 2 streams block 0",
            "XREADGROUP GROUP block streams NOACK COUNT 1 STREAMS block >",
            "script load x",
            "PING",
            "HGETALL h",
        ] {
            assert!(allowed(line), "{line}");
        }
        for line in [
            "SELECT 1",
            "MULTI",
            "EXEC",
            "WATCH a",
            "SUBSCRIBE a",
            "BLPOP a 0",
            "WAIT 1 0",
            "CLIENT REPLY OFF",
            "HELLO 3",
            "AUTH x",
            "MONITOR",
            "SHUTDOWN",
            "CONFIG GET *",
            "DEBUG SLEEP 1",
            "SCRIPT KILL",
            "QUIT",
            "XREAD BLOCK 0 STREAMS a 0",
            "xreadgroup group a b block 0 streams a >",
            "XREADGROUP GROUP streams c BLOCK 0 STREAMS s >",
            "XREADGROUP GROUP g streams BLOCK 0 STREAMS s >",
            "XREAD COUNT streams BLOCK 0 STREAMS s 0",
            "XREAD LATER STREAMS s 0",
            "XREADGROUP GROUP g",
            "NOSUCH",
            "MIGRATE a",
        ] {
            assert!(!allowed(line), "{line}");
        }
    }
}
