import type { Options } from '../../study/types.ts';
import { optionName } from '../options/spelling.ts';

/**
 * Options that are known not to change what lies in a data directory after it is filled: memory, threads, I/O, time limits,
 * connections, logs, replication, diagnostics, the choice of plans. A data set is filled without them. Everything else
 * counts, unknown options included.
 */
const HARMLESS: readonly RegExp[] = [
  // Memory and caches of the server.
  /^(bulk_insert_buffer_size|key_(buffer|cache)_.*|large_pages|super_large_pages|memlock|query_(alloc|cache|prealloc)_.*)$/,
  /^((join|sort|read|read_rnd|mrr|preload|net)_buffer_(size|length|space_limit)|join_cache_level|max_(heap_table|tmp_.*)|temptable_.*)$/,
  /^(max_heap_table_size|tmp_(memory_table|table|disk_table)_size|(global_)?connection_memory_.*|rowid_merge_buff_size|temp_pool)$/,
  /^(table_(definition_cache|open_cache.*)|host_cache_size|open_files_limit|stored_program_cache|max_session_mem_used)$/,
  /^((transaction|tx)_(alloc_block|prealloc)_size|range_.*|parser_max_mem_size|thread_.*|back_log)$/,
  /^(aria_(pagecache_(age|buffer|division|file_hash).*|sort_buffer_size)|myisam_(sort_buffer_size|mmap_size|use_mmap))$/,
  // InnoDB's memory, threads and I/O.
  /^innodb_(adaptive_.*|buffer_pool_.*|commit_concurrency|concurrency_tickets|data_file_(buffering|write_through))$/,
  /^innodb_(deadlock_.*|disable_sort_file_cache|fast_shutdown|fatal_semaphore_.*|flush.*|force_recovery|idle_flush_pct)$/,
  /^innodb_(io_capacity.*|lock_wait_timeout|lru_.*|max_(dirty_pages_.*|purge_lag.*)|monitor_.*|numa_interleave|old_blocks_.*)$/,
  /^innodb_log_(buffer_size|file_(buffering|mmap|write_through)|spin_.*|wait_for_.*|write_ahead_size|writer_threads)$/,
  /^innodb_(open_files|page_cleaners|parallel_read_threads|print_.*|random_read_ahead|read_(ahead_threshold|io_threads|only))$/,
  /^innodb_(rollback_on_timeout|sort_buffer_size|spin_.*|status_.*|sync_(array_size|spin_loops)|table_locks|thread_.*)$/,
  /^innodb_(use_(fdatasync|native_aio)|write_io_threads)$/,
  /^rocksdb_(block_cache_size|max_background_jobs|max_open_files)$/,
  // Connections, time limits and rights.
  /^(autocommit|completion_type|connect_timeout|event_scheduler|idle_.*_timeout|init_connect|interactive_timeout)$/,
  /^(local_infile|lock_wait_timeout|low_priority_updates|max_(allowed_packet|connect_errors|connections|user_connections))$/,
  /^(max_(execution_time|statement_time|join_size|prepared_stmt_count|delayed_threads|error_count|write_lock_count))$/,
  /^(net_.*|offline_mode|password_.*|read_only|super_read_only|secure_file_priv|require_secure_transport|tcp_.*|wait_timeout)$/,
  /^((admin_|mysqlx_)?(ssl|tls)(_.*)?|(transaction|tx)_(isolation|read_only)|session_track_.*|mysqlx_.*)$/,
  /^(skip_(external_locking|grant_tables|host_cache|name_resolve|show_database|stack_trace)|external_locking)$/,
  // A server without its engine could not make the directory at all.
  /^(skip_)?innodb$/,
  // Logs and replication: what they write is not in the data set.
  /^(general_log(_file)?|log_(bin(_.*)?|error_.*|output|queries_.*|raw|slow_.*|throttle_.*|timestamps|warnings))$/,
  /^(long_query_time|min_examined_row_limit|slow_(launch_time|query_log(_file)?)|lc_messages|lc_time_names)$/,
  /^(binlog_.*|expire_logs_days|gtid_.*|log_(replica|slave)_updates|max_(binlog|relay_log)_.*|read_binlog_speed_limit)$/,
  /^(relay_.*|replica_.*|replicate_.*|report_.*|rpl_.*|server_id|slave_.*|skip_(log_bin|replica_start|slave_start))$/,
  /^(sync_(binlog|master_info|relay_log.*|source_info)|wsrep_.*)$/,
  // Plans and diagnostics.
  /^(cte_max_recursion_depth|eq_range_index_dive_limit|expensive_subquery_limit|explain_.*|feedback.*|group_concat_max_len)$/,
  /^(core_file|max_(length_for_sort_data|seeks_for_key|sort_length|rowid_filter_size|digest_length)|optimizer_.*)$/,
  /^(performance_schema.*|profiling.*|progress_report_time|userstat|stack_trace|symbolic_links)$/,
];

/** Those that counted under the first rule: data sets of a study with no others are still what they were. */
const ALWAYS_COUNTED = new Set([
  'character_set_server',
  'collation_server',
  'innodb_checksum_algorithm',
  'innodb_data_file_path',
  'innodb_default_row_format',
  'innodb_encrypt_log',
  'innodb_encrypt_tables',
  'innodb_file_per_table',
  'innodb_log_file_size',
  'innodb_log_files_in_group',
  'innodb_page_size',
  'innodb_redo_log_capacity',
  'innodb_undo_tablespaces',
  'lower_case_table_names',
]);

/** The options of a set that may decide what a data directory holds and how it is laid out: all but those known to be harmless. */
export function creationOptions(options: Options): Options {
  const entries = Object.entries(options).filter(
    ([name]) => !HARMLESS.some((harmless) => harmless.test(plainName(name))),
  );
  return Object.fromEntries(entries.map(([name, value]) => [optionName(name), value] as const).sort(byName));
}

/** The options that count since the first rule was replaced: a trial without data of its own could have shared another's before. */
export function newlyCounted(options: Options): readonly string[] {
  return Object.keys(creationOptions(options)).filter((name) => !ALWAYS_COUNTED.has(plainName(name)));
}

/**
 * As they are given while a data directory is made: an option of an engine that is not loaded then, or that another build has
 * not, is passed over; the trial's own start says so if it is wrong.
 */
export function whileMaking(creation: Options): Options {
  return Object.fromEntries(
    Object.entries(creation).map(([name, value]) =>
      ALWAYS_COUNTED.has(name) || name.startsWith('loose_') ? [name, value] : [`loose_${name}`, value],
    ),
  );
}

function plainName(name: string): string {
  return optionName(name).replace(/^(loose_)+/, '');
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
