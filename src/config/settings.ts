// The environment variables that Corridor reads, as docs/operations.md prints them.

export interface Setting {
  readonly name: string
  readonly fallback: string
  readonly meaning: string
  /** Whether the value may hold a secret, which the variable NAME_FILE may name a file with. */
  readonly secret?: true
}

export const SETTINGS = [
  { name: 'PORT', fallback: '8080', meaning: 'Port of the HTTP service; 0 takes a free one.' },
  { name: 'HOST', fallback: '127.0.0.1', meaning: 'Address the HTTP service listens on.' },
  {
    name: 'CORRIDOR_OPS_PORT',
    fallback: '',
    meaning:
      'Port of its own for /healthz, /readyz and /metrics, which PORT then does not serve; ' +
      'without one, PORT serves them.',
  },
  {
    name: 'CORRIDOR_OPS_HOST',
    fallback: '',
    meaning: 'Address that this port listens on; without one, that of HOST.',
  },
  { name: 'CORRIDOR_DATA', fallback: './data', meaning: 'Folder of the embedded database.' },
  {
    name: 'CORRIDOR_DEFAULT_DATA',
    fallback: 'on',
    meaning:
      'on or off: use ./data where neither DATABASE_URL nor CORRIDOR_DATA is set. The image and ' +
      'the unit of systemd set off, because nobody keeps that folder there.',
  },
  {
    name: 'DATABASE_URL',
    fallback: '',
    secret: true,
    meaning: 'PostgreSQL 15 or newer to use instead of the embedded database.',
  },
  {
    name: 'CORRIDOR_ARCHIVE',
    fallback: '',
    meaning:
      'Folder on another disk to which the embedded database copies its log, for recovery to any ' +
      'moment; off ends it, and without a value it stays as the last start has set it.',
  },
  {
    name: 'CORRIDOR_ARCHIVE_QUEUE_MB',
    fallback: '8192',
    meaning:
      'Megabytes of the log that wait on the disk of the database while that folder takes ' +
      'nothing; what is more is given up, and needs a new backup.',
  },
  {
    name: 'LOG_LEVEL',
    fallback: 'info',
    meaning: 'fatal, error, warn, info, debug, trace or silent.',
  },
  {
    name: 'CORRIDOR_USER',
    fallback: 'name of the system user',
    meaning:
      'Name of the person who runs commands, for the audit log. It must be a user, if there are ' +
      'users; paying by hand always needs it.',
  },
  {
    name: 'CORRIDOR_RATE_FEED_URL',
    fallback: '',
    secret: true,
    meaning:
      'URL of the file of rates that the service fetches into the rate book; without it, the ' +
      'service fetches no rates.',
  },
  {
    name: 'CORRIDOR_RATE_FEED_INTERVAL_S',
    fallback: '3600',
    meaning: 'Seconds between fetching rates.',
  },
  {
    name: 'CORRIDOR_RATE_FEED_ALLOW_HTTP',
    fallback: 'off',
    meaning:
      'on or off: fetch rates by plain http too, from this machine alone; for development alone.',
  },
  {
    name: 'CORRIDOR_BIC',
    fallback: '',
    meaning: 'BIC that messages of payouts by SWIFT are sent from; without one, a test address.',
  },
  {
    name: 'CORRIDOR_LANES',
    fallback: '2',
    meaning: 'Lanes for each kind of write; accounts are spread over them.',
  },
  { name: 'CORRIDOR_MAX_BATCH', fallback: '256', meaning: 'Most writes in one transaction.' },
  { name: 'CORRIDOR_READ_CONNECTIONS', fallback: '4', meaning: 'Database connections for reads.' },
  { name: 'CORRIDOR_SETTLE', fallback: 'on', meaning: 'on or off: run the settling worker here.' },
  {
    name: 'CORRIDOR_SETTLE_POLL_MS',
    fallback: '250',
    meaning: 'Milliseconds between looks for payouts whose rail is due to be asked.',
  },
  {
    name: 'CORRIDOR_RAIL_TIMEOUT_MS',
    fallback: '10000',
    meaning:
      'Milliseconds a rail has to answer before it is asked again later. A claim that nobody ' +
      'ends, as after a kill, lasts twice as long plus five seconds.',
  },
  {
    name: 'CORRIDOR_SIMULATOR_DELAY_MS',
    fallback: '2000',
    meaning: 'Milliseconds between the steps of the simulator rail.',
  },
  {
    name: 'CORRIDOR_TEST_CHAINS',
    fallback: '',
    meaning:
      'Ids of chains whose tokens are worthless, such as 84532,31337, on which rails may pay ' +
      'wallets in a trial; never where payees wait for money.',
  },
  {
    name: 'CORRIDOR_VERIFY_PERCENT',
    fallback: '2',
    meaning: 'Share of the time in which the service verifies its books, in percent; 0: never.',
  },
  {
    name: 'CORRIDOR_VERIFY_AGAIN_DAYS',
    fallback: '7',
    meaning: 'Days after which the service verifies each book from its first journal again.',
  },
  {
    name: 'CORRIDOR_WEBHOOKS',
    fallback: 'on',
    meaning: 'on or off: run the worker that delivers webhooks here.',
  },
  {
    name: 'CORRIDOR_WEBHOOK_POLL_MS',
    fallback: '200',
    meaning: 'Milliseconds between looks for events and webhooks that are due.',
  },
  {
    name: 'CORRIDOR_WEBHOOK_TIMEOUT_MS',
    fallback: '15000',
    meaning: 'Milliseconds a receiver of webhooks has to answer, from connecting to the last byte.',
  },
  {
    name: 'CORRIDOR_WEBHOOK_ALLOW_PRIVATE',
    fallback: 'off',
    meaning:
      'on or off: allow webhooks to private addresses and plain http; for development alone.',
  },
  {
    name: 'CORRIDOR_PUBLIC_URL',
    fallback: '',
    meaning:
      'URL by which people reach the service, such as https://pay.example.com: for links in ' +
      'notifications, log-in links and invitations, for the return from the provider of ' +
      'log-ins, and for examples in /docs. Without it, each link has the host of its request.',
  },
  {
    name: 'CORRIDOR_SMTP_URL',
    fallback: '',
    secret: true,
    meaning:
      'Server that sends notifications by e-mail: smtps://user:password@host:465, or ' +
      'smtp://…:587, which must offer STARTTLS unless it is on this machine.',
  },
  {
    name: 'CORRIDOR_NOTIFY_FROM',
    fallback: '',
    meaning: 'E-mail address that notifications come from.',
  },
  {
    name: 'CORRIDOR_NOTIFY_TO',
    fallback: '',
    meaning: 'E-mail addresses that notifications go to, separated by commas.',
  },
  {
    name: 'CORRIDOR_NOTIFY_WEBHOOK_URL',
    fallback: '',
    secret: true,
    meaning: 'URL that gets notifications as {"text": …}, such as an incoming webhook of Slack.',
  },
  {
    name: 'CORRIDOR_NOTIFY_ALLOW_PRIVATE',
    fallback: 'off',
    meaning: 'on or off: allow this webhook to have a private address, or plain http.',
  },
  {
    name: 'CORRIDOR_NOTIFY_LOW_BALANCE',
    fallback: '',
    meaning:
      'Available balances of live accounts below which people are notified, such as ' +
      'USD 10000, EUR 5000.',
  },
  {
    name: 'CORRIDOR_DRAIN_MS',
    fallback: '1000',
    meaning: 'Milliseconds between SIGTERM and closing the listener, for load balancers to notice.',
  },
  {
    name: 'CORRIDOR_RATE_LIMIT_PER_S',
    fallback: '500',
    meaning:
      'Requests a second that a key of a live account or of a person may send to this process; ' +
      '0 sets no limit.',
  },
  {
    name: 'CORRIDOR_FAILED_LOGINS_PER_MIN',
    fallback: '100',
    meaning:
      'Wrong credentials a minute from one address that are answered 401, further ones 429; 0 ' +
      'sets no limit.',
  },
  {
    name: 'CORRIDOR_OIDC_ISSUER',
    fallback: '',
    meaning:
      'Provider by which people log in (OpenID Connect), such as https://login.example.com; ' +
      'without one, by passwords alone.',
  },
  {
    name: 'CORRIDOR_OIDC_CLIENT_ID',
    fallback: '',
    meaning: 'Name of this installation at the provider.',
  },
  {
    name: 'CORRIDOR_OIDC_SECRET',
    fallback: '',
    secret: true,
    meaning: 'Secret of this installation at the provider.',
  },
  {
    name: 'CORRIDOR_OIDC_GROUPS_CLAIM',
    fallback: 'groups',
    meaning: 'Claim of the ID token with the groups of a person.',
  },
  {
    name: 'CORRIDOR_OIDC_ROLES',
    fallback: '',
    meaning:
      'What groups may do: GROUP=operator, GROUP=auditor or GROUP=acc_7k2m9x4q:maker, with ; ' +
      'between them.',
  },
  {
    name: 'CORRIDOR_ALLOWED_HOSTS',
    fallback: '',
    meaning:
      'Host names that requests may use, such as api.example.com; other names are 421. Without ' +
      'any, all names are allowed.',
  },
  {
    name: 'CORRIDOR_REQUEST_LOG',
    fallback: 'off',
    meaning: 'on or off: keep the last requests of sandbox accounts for corridor logs.',
  },
  {
    name: 'CORRIDOR_TRUSTED_PROXIES',
    fallback: '',
    meaning:
      'Addresses and networks, such as 10.0.0.0/8, of proxies whose X-Forwarded-For is believed.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    fallback: '',
    secret: true,
    meaning: 'Collector of traces by OTLP over HTTP, such as http://127.0.0.1:4318.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    fallback: '',
    secret: true,
    meaning: 'The collector as the whole URL that spans are posted to.',
  },
  { name: 'OTEL_SDK_DISABLED', fallback: 'false', meaning: 'true: send no traces at all.' },
  { name: 'OTEL_SERVICE_NAME', fallback: 'corridor', meaning: 'Name of the service in traces.' },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    fallback: '',
    meaning: 'Further attributes of this process in traces: name=value,name=value.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    fallback: 'parentbased_always_on',
    meaning: 'always_on, always_off or traceidratio, or one of them after parentbased_.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    fallback: '1',
    meaning: 'Share of traces that a sampler by ratio takes, from 0 to 1.',
  },
  {
    name: 'OTEL_BSP_MAX_QUEUE_SIZE',
    fallback: '2048',
    meaning: 'Most spans that wait to be sent; further ones are dropped.',
  },
  {
    name: 'OTEL_BSP_SCHEDULE_DELAY',
    fallback: '5000',
    meaning: 'Milliseconds after which spans are sent, however few they are.',
  },
] as const satisfies readonly Setting[]
