// For each alarm of deploy/prometheus/rules.yaml: series that make it ring and series that do not, in
// promtool's notation, a value a minute: `1+2x3` is 1, 3, 5, 7.

export interface AlarmCase {
  readonly alert: string
  /** When the alarm is looked at, from the first value. */
  readonly at: string
  readonly rings: Readonly<Record<string, string>>
  readonly quiet: Readonly<Record<string, string>>
  /** The labels of the alarm, besides its severity. */
  readonly labels?: Readonly<Record<string, string>>
  /** Its summary. */
  readonly says: string
}

const REQUESTS = 'corridor_http_request_seconds_count'
const PAID = `${REQUESTS}{method="POST",route="/v3/payout",status="200"}`
const TOOK = 'corridor_http_request_seconds_bucket{method="POST",route="/v3/payout",status="200"'
const REPORTS = 'corridor_rail_reports_total'
const BOOKED = 'corridor_lane_batch_commands'
const DISK = 'fstype="ext4",instance="db:9100",mountpoint="/srv"'
const ON_DISK = { fstype: 'ext4', instance: 'db:9100', mountpoint: '/srv' }

/** An alarm of one series, whose value is too high or too low. */
function ofValue(
  alert: string,
  series: string,
  [bad, good]: readonly [number, number],
  rest: Pick<AlarmCase, 'says'> & Partial<AlarmCase>,
  length = 300,
): AlarmCase {
  const values = (value: number) => ({ [series]: `${value}x${length}` })
  return { alert, at: '61m', rings: values(bad), quiet: values(good), ...rest }
}

const SERVICE: readonly AlarmCase[] = [
  {
    alert: 'CorridorDown',
    at: '3m',
    rings: { 'up{job="corridor",instance="a"}': '1 0x9', 'up{job="corridor",instance="b"}': '0x9' },
    quiet: { 'up{job="corridor",instance="a"}': '1x9', 'up{job="corridor",instance="b"}': '0x9' },
    says: 'No process of Corridor answers.',
  },
  {
    alert: 'CorridorProcessDown',
    at: '7m',
    rings: { 'up{job="corridor",instance="a"}': '1x9', 'up{job="corridor",instance="b"}': '1 0x9' },
    quiet: {
      'up{job="corridor",instance="a"}': '1x9',
      'up{job="corridor",instance="b"}': '0 0 1x9',
    },
    labels: { instance: 'b', job: 'corridor' },
    says: 'The process b does not answer.',
  },
  {
    alert: 'DatabaseAway',
    at: '3m',
    rings: {
      'corridor_database_away{instance="a"}': '0 1x9',
      'corridor_database_away{instance="b"}': '1x9',
    },
    quiet: {
      'corridor_database_away{instance="a"}': '0x9',
      'corridor_database_away{instance="b"}': '1x9',
    },
    says: 'No process reaches the database.',
  },
  {
    alert: 'CorridorRefuses',
    at: '15m',
    rings: { [PAID]: '0+96x20', [`${REQUESTS}{route="/v3/payout",status="503"}`]: '0+4x20' },
    quiet: {
      [PAID]: '0+99x20',
      [`${REQUESTS}{route="/readyz",status="503"}`]: '0+60x20',
      [`${REQUESTS}{route="/v3/payout",status="400"}`]: '0+60x20',
    },
    says: '4% of the requests are answered 5xx.',
  },
  {
    alert: 'CorridorSlow',
    at: '40m',
    rings: {
      [`${TOOK},le="2.5"}`]: '0+60x60',
      [`${TOOK},le="+Inf"}`]: '0+60x60',
      [`${TOOK},le="1"}`]: '0x60',
    },
    quiet: { [`${TOOK},le="0.5"}`]: '0+60x60', [`${TOOK},le="+Inf"}`]: '0+60x60' },
    says: 'The slowest hundredth of new payouts takes 2.485s or more.',
  },
  {
    alert: 'LanesBehind',
    at: '40m',
    rings: {
      [`${BOOKED}_sum{operation="payout"}`]: '0+25000x60',
      [`${BOOKED}_count{operation="payout"}`]: '0+100x60',
    },
    quiet: {
      [`${BOOKED}_sum{operation="payout"}`]: '0+10000x60',
      [`${BOOKED}_count{operation="payout"}`]: '0+100x60',
    },
    labels: { operation: 'payout' },
    says: 'A batch of payout has 250 commands on average.',
  },
  ofValue(
    'EventLoopLate',
    'nodejs_eventloop_lag_p99_seconds{job="corridor",instance="a"}',
    [0.5, 0.1],
    {
      labels: { job: 'corridor', instance: 'a' },
      says: 'Work in a waits 500ms for its turn.',
    },
  ),
  ofValue(
    'MemoryGrows',
    'process_resident_memory_bytes{job="corridor",instance="a"}',
    [2 ** 31, 3e8],
    {
      labels: { job: 'corridor', instance: 'a' },
      says: 'The process a takes 2GiB of memory.',
    },
  ),
  {
    alert: 'KeysGuessed',
    at: '20m',
    rings: { [`${REQUESTS}{status="401",route="/v3/payout"}`]: '0+600x30' },
    quiet: { [`${REQUESTS}{status="401",route="/v3/payout"}`]: '0+60x30' },
    says: '10 requests a second have wrong credentials.',
  },
  ofValue('ClockJumped', 'corridor_clock_jumped', [1, 0], {
    says: 'The clock of the database has jumped.',
  }),
]

const BOOKS: readonly AlarmCase[] = [
  ofValue('BooksDiffer', 'corridor_verify_faults', [2, 0], {
    at: '1m',
    says: '2 rows differ from the books.',
  }),
  ofValue(
    'VerifyBehind',
    'corridor_verify_lag_journals',
    [2_000_000, 900_000],
    { at: '25h', says: '2M journals are not verified yet.' },
    1600,
  ),
  ofValue('ClientMoneyShort', 'corridor_safeguarding_shortfalls', [1, 0], {
    says: 'More is owed to clients than is held for them.',
  }),
  ofValue('ClientMoneyConcentrated', 'corridor_safeguarding_concentrated', [1, 0], {
    says: 'One institution holds more client money than the share that is set.',
  }),
  ofValue('NostroCritical', 'corridor_nostro_forecast{state="critical"}', [2, 0], {
    says: '2 accounts at banks fall below their critical level.',
  }),
  ofValue(
    'PayoutsAwaitFunds',
    'corridor_payouts_awaiting_funds_oldest_seconds{nostro="eur_main"}',
    [3_600, 600],
    {
      says: 'Payouts wait for funds of eur_main for 1h 0m 0s.',
      labels: { nostro: 'eur_main' },
    },
  ),
  ofValue('NostroLow', 'corridor_nostro_forecast{state="low"}', [2, 0], {
    says: '2 accounts at banks fall below their low level.',
  }),
  ofValue('TreasuryBehind', 'corridor_treasury_lag_journals', [2_000_000, 900], {
    says: "2M journals are not in the house's books.",
  }),
  ofValue('LogNotArchived', 'corridor_archive_lag_seconds', [720, 60], {
    at: '1m',
    says: 'The log has waited 12m 0s for its archive.',
  }),
  ofValue('ArchiveHasGap', 'corridor_archive_gap', [1, 0], {
    says: 'The archive of the log lacks a part, and no backup is newer.',
  }),
  ofValue('UpkeepLate', 'corridor_upkeep_age_seconds{kind="backup"}', [97_200, 86_400], {
    labels: { kind: 'backup' },
    says: 'No corridor backup has succeeded for 1d 3h 0m 0s.',
  }),
]

const ACME = { rail: 'acme' }

const RAILS: readonly AlarmCase[] = [
  {
    alert: 'RailContradicts',
    at: '10m',
    rings: { [`${REPORTS}{rail="acme",result="refused"}`]: '0x5 1x30' },
    quiet: {
      [`${REPORTS}{rail="acme",result="applied"}`]: '0+1x30',
      [`${REPORTS}{rail="simulator",result="refused"}`]: '0+1x30',
    },
    labels: ACME,
    says: 'The rail acme has reported what cannot be.',
  },
  {
    alert: 'RailUnclear',
    at: '45m',
    rings: {
      [`${REPORTS}{rail="acme",result="unclear"}`]: '0+75x60',
      [`${REPORTS}{rail="acme",result="applied"}`]: '0+25x60',
      [`${REPORTS}{rail="other",result="applied"}`]: '0+900x60',
    },
    quiet: {
      [`${REPORTS}{rail="acme",result="unclear"}`]: '0+25x60',
      [`${REPORTS}{rail="acme",result="applied"}`]: '0+75x60',
      [`${REPORTS}{rail="simulator",result="unclear"}`]: '0+75x60',
    },
    labels: ACME,
    says: '75% of the answers of the rail acme are unclear.',
  },
  {
    alert: 'NothingSettles',
    at: '3h',
    rings: { [`${REPORTS}{rail="acme",result="applied"}`]: '0+10x60 600x200', [PAID]: '0+60x260' },
    quiet: { [`${REPORTS}{rail="acme",result="applied"}`]: '0+10x260', [PAID]: '0+60x260' },
    says: 'Payouts are made, and no rail answers.',
  },
  {
    alert: 'PayoutsLeftAlone',
    at: '61m',
    rings: {
      'corridor_payouts_left_alone{rail="acme"}': '7x90',
      'corridor_payouts_left_alone{rail="other"}': '7x90',
      'corridor_rails_paused{rail="other"}': '1x90',
    },
    quiet: {
      'corridor_payouts_left_alone{rail="other"}': '7x90',
      'corridor_rails_paused{rail="other"}': '1x90',
    },
    labels: ACME,
    says: '7 payouts wait, because no process may ask the rail acme.',
  },
  ofValue('PayoutsOverdue', 'corridor_payouts_overdue', [3, 0], {
    says: '3 payouts have been due for five minutes, and no worker has taken them.',
  }),
  ofValue('RailPaused', 'corridor_rails_paused{rail="acme"}', [1, 0], {
    labels: ACME,
    says: 'The rail acme is paused.',
  }),
  ofValue('RailExceptionsOpen', 'corridor_rail_exceptions{rail="acme",kind="no_funds"}', [4, 0], {
    labels: { ...ACME, kind: 'no_funds' },
    says: '4 exceptions no_funds of the rail acme wait for a person.',
  }),
  ofValue(
    'PaidByHandLate',
    'corridor_payouts_by_hand_oldest_seconds{status="processing"}',
    [90_000, 80_000],
    {
      says: 'A payout has waited 1d 1h 0m 0s for a person to pay it.',
    },
  ),
  ofValue('CalendarEnds', 'corridor_calendar_days_left{calendar="t2"}', [30, 300], {
    labels: { calendar: 't2' },
    says: 'The calendar t2 ends in 30 days.',
  }),
]

const FILES: readonly AlarmCase[] = [
  {
    alert: 'WalletStands',
    at: '20m',
    rings: { 'corridor_rail_exceptions{rail="acme",kind="wallet_frozen"}': '1x30' },
    quiet: { 'corridor_rail_exceptions{rail="acme",kind="no_gas"}': '1x30' },
    labels: { ...ACME, kind: 'wallet_frozen' },
    says: 'The rail acme cannot pay on its chain: wallet_frozen.',
  },
  ofValue('BankFilesStuck', 'corridor_bank_files_problem_seconds{rail="acme"}', [960, 60], {
    labels: ACME,
    says: 'The rail acme could not exchange files for 16m 0s.',
  }),
  {
    alert: 'BankFileWaits',
    at: '20m',
    rings: { 'corridor_rail_exceptions{rail="acme",kind="file_unknown"}': '1x30' },
    quiet: { 'corridor_rail_exceptions{rail="acme",kind="no_funds"}': '1x30' },
    labels: { ...ACME, kind: 'file_unknown' },
    says: '1 files of the rail acme wait for a person: file_unknown.',
  },
  ofValue(
    'BankFilesUnsent',
    'corridor_bank_files_unsent_oldest_seconds{rail="acme"}',
    [7500, 600],
    {
      labels: ACME,
      says: 'A file of the rail acme has been sealed for 2h 5m 0s and is not sent.',
    },
  ),
  ofValue(
    'BankFilesQuarantined',
    'corridor_bank_files_quarantined{rail="acme",what="lines"}',
    [5, 0],
    {
      labels: { ...ACME, what: 'lines' },
      says: '5 lines of the bank of the rail acme were not applied.',
    },
  ),
]

const WALLETS: readonly AlarmCase[] = [
  ofValue('WalletGasLow', 'corridor_wallet_gas_payments{rail="acme",wallet="0x1"}', [40, 60], {
    labels: { ...ACME, wallet: '0x1' },
    says: 'The coin of the wallet 0x1 pays gas for 40 more payments.',
  }),
  ofValue(
    'ProviderLeftOut',
    'corridor_chain_provider_left_out{rail="acme",provider="own"}',
    [1, 0],
    {
      labels: { ...ACME, provider: 'own' },
      says: 'The answers of own about the chain of acme do not count.',
    },
  ),
  {
    alert: 'ProviderWrong',
    at: '20m',
    rings: { 'corridor_rail_exceptions{rail="acme",kind="provider_wrong"}': '1x30' },
    quiet: { 'corridor_rail_exceptions{rail="acme",kind="other_chain"}': '1x30' },
    labels: ACME,
    says: 'A provider contradicts the others about the chain of acme.',
  },
]

const PEOPLE: readonly AlarmCase[] = [
  {
    alert: 'PayoutsNotScreened',
    at: '61m',
    rings: { 'corridor_payouts_screening{state="waits"}': '9x90' },
    quiet: { 'corridor_payouts_screening{state="confirmed"}': '9x90' },
    says: '9 payouts wait to be screened.',
  },
  ofValue('ListsStaleSoon', 'corridor_screening_list_age_seconds{list="un"}', [522_000, 500_000], {
    labels: { list: 'un' },
    says: 'The sanctions list un was imported 6d 1h 0m 0s ago.',
  }),
  ofValue('HoldsUnread', 'corridor_payouts_screening{state="open"}', [2, 0], {
    at: '250m',
    says: '2 payouts are held, and nobody has decided for hours.',
  }),
  {
    alert: 'ApprovalsEndSoon',
    at: '61m',
    rings: {
      corridor_payouts_pending_approval: '2x90',
      corridor_approvals_end_in_seconds: '7200x90',
    },
    quiet: { corridor_payouts_pending_approval: '0x90', corridor_approvals_end_in_seconds: '0x90' },
    says: '2 payouts wait for approval, and the first fails within a day.',
  },
]

/** A new installation has pegs alone, and after a day those of stablecoins are stale. */
const NEVER_HAD_RATES = {
  corridor_rate_good_for_seconds: '0x90',
  'corridor_rates{state="good"}': '0x90',
  'corridor_rates{state="stale"}': '0x90',
  'corridor_rates{state="pegged"}': '8x90',
  'corridor_rates{state="peg_stale"}': '2x90',
}

const MESSAGES: readonly AlarmCase[] = [
  {
    alert: 'RatesStaleSoon',
    at: '61m',
    rings: { corridor_rate_good_for_seconds: '1800x90', 'corridor_rates{state="good"}': '3x90' },
    quiet: NEVER_HAD_RATES,
    says: 'The next rate becomes stale in 30m 0s.',
  },
  {
    alert: 'RatesStale',
    at: '61m',
    rings: { 'corridor_rates{state="stale"}': '3x90', 'corridor_rates{state="good"}': '0x90' },
    quiet: NEVER_HAD_RATES,
    says: 'All 3 rates are stale.',
  },
  {
    alert: 'RatesNotFetched',
    at: '130m',
    rings: { 'corridor_rate_feed_total{result="failed"}': '0+1x200' },
    quiet: { 'corridor_rate_feed_total{result="unchanged"}': '0+1x200' },
    labels: { result: 'failed' },
    says: 'The feed of rates has failed 60 times in an hour.',
  },
  {
    alert: 'WebhooksLate',
    at: '61m',
    rings: {
      'corridor_webhook_delay_seconds_bucket{le="60"}': '0x90',
      'corridor_webhook_delay_seconds_bucket{le="300"}': '0+60x90',
      'corridor_webhook_delay_seconds_bucket{le="+Inf"}': '0+60x90',
    },
    quiet: {
      'corridor_webhook_delay_seconds_bucket{le="1"}': '0+60x90',
      'corridor_webhook_delay_seconds_bucket{le="+Inf"}': '0+60x90',
    },
    says: 'Accounts are told of events 4m 57s late.',
  },
  {
    alert: 'WebhooksFail',
    at: '120m',
    rings: {
      'corridor_webhook_attempts_total{result="unanswered",account="live"}': '0+60x200',
      'corridor_webhook_attempts_total{result="succeeded",account="live"}': '0+20x200',
    },
    quiet: {
      'corridor_webhook_attempts_total{result="unanswered",account="sandbox"}': '0+60x200',
      'corridor_webhook_attempts_total{result="succeeded",account="live"}': '0+20x200',
    },
    says: '75% of the attempts to deliver webhooks fail.',
  },
  {
    alert: 'NotificationsFail',
    at: '70m',
    rings: { 'corridor_notifications_total{kind="hold",way="email",result="failed"}': '0+1x90' },
    quiet: { 'corridor_notifications_total{kind="hold",way="email",result="sent"}': '0+1x90' },
    labels: { way: 'email' },
    says: '60 notifications by email have failed in an hour.',
  },
  ofValue(
    'MoneyUnexplained',
    'corridor_treasury_exceptions_oldest_seconds{nostro="eur_main",kind="missing_credit"}',
    [691_200, 518_400],
    {
      labels: { nostro: 'eur_main', kind: 'missing_credit' },
      says: 'The oldest missing_credit of eur_main is 8d 0h 0m 0s old.',
    },
  ),
]

const MACHINES: readonly AlarmCase[] = [
  ...(
    [
      ['DiskNearlyFull', 4, 6],
      ['DiskFills', 15, 25],
    ] as const
  ).map(([alert, bad, good]) => ({
    alert,
    at: '61m',
    rings: {
      [`node_filesystem_avail_bytes{${DISK}}`]: `${bad}x90`,
      [`node_filesystem_size_bytes{${DISK}}`]: '100x90',
    },
    quiet: {
      [`node_filesystem_avail_bytes{${DISK}}`]: `${good}x90`,
      [`node_filesystem_size_bytes{${DISK}}`]: '100x90',
    },
    labels: ON_DISK,
    says: `/srv of db:9100 has ${bad}% left.`,
  })),
  ofValue('StandbyBehind', 'pg_replication_lag_seconds{instance="db2"}', [90, 1], {
    labels: { instance: 'db2' },
    says: 'The standby db2 is 1m 30s behind.',
  }),
  ofValue('PostgresDown', 'pg_up{instance="db2"}', [0, 1], {
    labels: { instance: 'db2' },
    says: 'PostgreSQL at db2 does not answer.',
  }),
  ofValue(
    'CertificateEnds',
    'probe_ssl_earliest_cert_expiry{instance="https://pay"}',
    [86_400, 1e7],
    {
      at: '2h',
      labels: { instance: 'https://pay' },
      says: 'The certificate of https://pay ends in 22h 0m 0s.',
    },
  ),
]

export const ALARM_CASES = [
  ...SERVICE,
  ...BOOKS,
  ...RAILS,
  ...FILES,
  ...WALLETS,
  ...PEOPLE,
  ...MESSAGES,
  ...MACHINES,
]
