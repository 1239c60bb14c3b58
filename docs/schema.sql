-- The schema as all migrations leave it, in the words of PostgreSQL; why it is so stands in
-- the migrations. `npm run schema` writes this file. `owner` is who owns the tables.

CREATE DOMAIN positive AS bigint
  CONSTRAINT positive_check CHECK ((VALUE > 0));
CREATE DOMAIN not_negative AS bigint
  CONSTRAINT not_negative_check CHECK ((VALUE >= 0));
CREATE DOMAIN count_of AS integer
  CONSTRAINT count_of_check CHECK ((VALUE >= 0));
CREATE DOMAIN positive_rate AS numeric
  CONSTRAINT positive_rate_check CHECK ((VALUE > (0)::numeric));
CREATE DOMAIN maker AS text COLLATE "C"
  CONSTRAINT made_by_somebody CHECK ((VALUE ~ '^(key_|user:|operator:).'::text));
CREATE DOMAIN digest AS bytea
  CONSTRAINT digest_check CHECK ((octet_length(VALUE) = 32));
CREATE DOMAIN account_state AS text
  CONSTRAINT known_state CHECK ((VALUE = ANY (ARRAY['active'::text, 'frozen'::text, 'closed'::text])));
CREATE DOMAIN clock_lead AS interval
  CONSTRAINT clock_lead_check CHECK (((VALUE >= '00:00:00'::interval) AND (EXTRACT(day FROM VALUE) = (0)::numeric) AND (EXTRACT(month FROM VALUE) = (0)::numeric) AND (EXTRACT(year FROM VALUE) = (0)::numeric)));
CREATE DOMAIN journal_kind AS text
  CONSTRAINT known_kind CHECK ((VALUE = ANY (ARRAY['funding'::text, 'payout'::text, 'receipt'::text, 'settlement'::text, 'failure'::text, 'reversal'::text, 'withdrawal'::text, 'adjustment'::text, 'funding_reversal'::text, 'withdrawal_reversal'::text, 'adjustment_reversal'::text, 'conversion_out'::text, 'conversion_in'::text]))) NOT VALID;
CREATE DOMAIN posting_codes AS text
  CONSTRAINT known_codes CHECK ((string_to_array(VALUE, ' '::text) <@ ARRAY['adjustments'::text, 'available'::text, 'fees'::text, 'funding'::text, 'fx'::text, 'fx_income'::text, 'in_transit'::text, 'inter_account'::text, 'settled'::text]));
CREATE DOMAIN event_words AS text COLLATE "C"
  CONSTRAINT words_of_events CHECK (((VALUE ~ '^(-|S|Q P[0-9a-z]{9}|[QPB][0-9a-z]{9}|L[1-9][0-9]{0,10}|D[1-9][0-9]{0,10}[.][0-9a-z]{20})( (Q P[0-9a-z]{9}|[QPB][0-9a-z]{9}|L[1-9][0-9]{0,10}|D[1-9][0-9]{0,10}[.][0-9a-z]{20}))*$'::text) AND (cardinality(string_to_array(VALUE, ' '::text)) <= 8)));
CREATE DOMAIN digests AS bytea
  CONSTRAINT digests_check CHECK (((octet_length(VALUE) % 32) = 0));
CREATE DOMAIN bounded_json AS json
  CONSTRAINT bounded_json_check CHECK ((octet_length((VALUE)::text) <= 262144));
CREATE DOMAIN payout_particulars AS json
  CONSTRAINT creditor_reference_of_a_kind CHECK (((VALUE ->> 'creditor_reference'::text) ~ '^([0-9]{12}|[0-9]{27}|RF[0-9]{2}[0-9A-Z]{1,21})$'::text))
  CONSTRAINT payout_particulars_check CHECK ((octet_length((VALUE)::text) <= 262144));
CREATE DOMAIN payout_answers AS json
  CONSTRAINT answers_are_bounded CHECK ((octet_length((VALUE)::text) <= 131072));
CREATE DOMAIN open_payout_status AS text
  CONSTRAINT open_payout_status_check CHECK ((VALUE = ANY (ARRAY['pending_approval'::text, 'processing'::text, 'requires_action'::text, 'compliance_hold'::text, 'succeeded'::text])));
CREATE DOMAIN payout_screening AS text
  CONSTRAINT payout_screening_check CHECK ((VALUE = ANY (ARRAY[''::text, 'waits'::text, 'open'::text, 'confirmed'::text])));
CREATE DOMAIN evm_address AS text COLLATE "C"
  CONSTRAINT evm_address_check CHECK ((VALUE ~ '^0x[0-9a-f]{40}$'::text));
CREATE DOMAIN evm_hash AS text COLLATE "C"
  CONSTRAINT evm_hash_check CHECK ((VALUE ~ '^0x[0-9a-f]{64}$'::text));

CREATE TABLE schema_migrations (
  name text NOT NULL,
  hash text NOT NULL,
  applied_at timestamp with time zone DEFAULT now() NOT NULL,
  additive boolean DEFAULT false NOT NULL,
  CONSTRAINT schema_migrations_pkey PRIMARY KEY (name)
);
GRANT SELECT ON schema_migrations TO corridor_auditor;
GRANT SELECT ON schema_migrations TO corridor_service;

CREATE TABLE reference_version (
  only_row boolean DEFAULT true NOT NULL,
  version bigint DEFAULT 0 NOT NULL,
  price_version bigint DEFAULT 0 NOT NULL,
  lists_version bigint DEFAULT 0 NOT NULL,
  change_count bigint DEFAULT 0 NOT NULL,
  change_head bytea DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
  CONSTRAINT reference_version_pkey PRIMARY KEY (only_row),
  CONSTRAINT reference_version_only_row_check CHECK (only_row)
);
CREATE TRIGGER only_rises BEFORE UPDATE ON reference_version FOR EACH ROW EXECUTE FUNCTION refuse_falling_version();
GRANT SELECT ON reference_version TO corridor_auditor;
GRANT SELECT ON reference_version TO corridor_finder;
GRANT SELECT ON reference_version TO corridor_service;

CREATE TABLE audit_log (
  change_id bigint NOT NULL,
  table_name text NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  changed_by text NOT NULL,
  act text NOT NULL,
  via text NOT NULL,
  origin jsonb DEFAULT '{}'::jsonb NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  before jsonb,
  after jsonb,
  hash bytea NOT NULL,
  CONSTRAINT audit_log_pkey PRIMARY KEY (change_id),
  CONSTRAINT audit_log_check CHECK (((before IS NOT NULL) OR (after IS NOT NULL))),
  CONSTRAINT origin_is_bounded CHECK (((jsonb_typeof(origin) = 'object'::text) AND (octet_length((origin)::text) <= 4096)))
);
CREATE INDEX audit_log_by_table ON audit_log USING btree (table_name, change_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chained BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_change();
GRANT SELECT ON audit_log TO corridor_auditor;
GRANT SELECT ON audit_log TO corridor_service;

CREATE TABLE users (
  name text COLLATE "C" NOT NULL,
  full_name text NOT NULL,
  email text DEFAULT ''::text NOT NULL,
  role text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  disabled_at timestamp with time zone,
  disabled_reason text DEFAULT ''::text NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (name),
  CONSTRAINT disabled_for_a_reason CHECK (((disabled_at IS NULL) = (disabled_reason = ''::text))),
  CONSTRAINT users_email_check CHECK (((email = ''::text) OR ((length(email) <= 320) AND (email ~ '^[^@[:space:]]{1,64}@[^@[:space:]]+$'::text)))),
  CONSTRAINT users_full_name_check CHECK ((full_name <> ''::text)),
  CONSTRAINT users_name_check CHECK (((name ~ '^[a-z][a-z0-9._-]{1,39}$'::text) AND (name <> 'corridor'::text))),
  CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['operator'::text, 'auditor'::text, 'member'::text])))
);
CREATE UNIQUE INDEX users_email_once ON users USING btree (lower(email)) WHERE (email <> ''::text);
CREATE TRIGGER announce AFTER INSERT OR UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER disabled_is_out AFTER UPDATE ON users FOR EACH ROW WHEN (((new.disabled_at IS NOT NULL) AND (old.disabled_at IS NULL))) EXECUTE FUNCTION end_sessions();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON users FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER one_operator_left AFTER INSERT OR UPDATE ON users FOR EACH STATEMENT EXECUTE FUNCTION require_operator();
CREATE TRIGGER rights_by_another BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION refuse_own_rights();
GRANT SELECT ON users TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (disabled_at, disabled_reason, email, role) ON users TO corridor_service;

CREATE TABLE accounts (
  account_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  currencies text[] NOT NULL,
  primary_currency text NOT NULL,
  deposit_address text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  sandbox boolean DEFAULT false NOT NULL,
  duplicate_window_s integer DEFAULT 600 NOT NULL,
  daily_rows integer DEFAULT 5000000 NOT NULL,
  daily_mb integer DEFAULT 5000 NOT NULL,
  state account_state DEFAULT 'active'::text NOT NULL,
  state_reason text DEFAULT ''::text NOT NULL,
  us_state text DEFAULT 'none'::text NOT NULL,
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id),
  CONSTRAINT accounts_deposit_address_key UNIQUE (deposit_address),
  CONSTRAINT accounts_check CHECK ((primary_currency = ANY (currencies))),
  CONSTRAINT accounts_currencies_check CHECK ((cardinality(currencies) > 0)),
  CONSTRAINT accounts_daily_mb_check CHECK ((daily_mb > 0)),
  CONSTRAINT accounts_daily_rows_check CHECK ((daily_rows > 0)),
  CONSTRAINT accounts_duplicate_window_s_check CHECK (((duplicate_window_s >= 0) AND (duplicate_window_s <= 604800))),
  CONSTRAINT accounts_name_check CHECK ((name <> ''::text)),
  CONSTRAINT known_us_state CHECK ((us_state = ANY (string_to_array('none AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM NV NY OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY'::text, ' '::text)))),
  CONSTRAINT state_has_a_reason CHECK ((((state)::text = 'active'::text) OR (state_reason <> ''::text)))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON accounts FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER legal_change BEFORE UPDATE OF state, currencies ON accounts FOR EACH ROW EXECUTE FUNCTION check_account_change();
GRANT SELECT ON accounts TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (currencies, daily_mb, daily_rows, duplicate_window_s, name, primary_currency, state, state_reason, us_state) ON accounts TO corridor_service;

CREATE TABLE api_keys (
  key_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  scope text NOT NULL,
  name text DEFAULT ''::text NOT NULL,
  owner text COLLATE "C",
  makes_only boolean DEFAULT false NOT NULL,
  made_by text COLLATE "C" DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT api_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT api_keys_owner_fkey FOREIGN KEY (owner) REFERENCES users(name),
  CONSTRAINT api_keys_scope_check CHECK ((scope = ANY (ARRAY['read'::text, 'write'::text, 'operator'::text]))),
  CONSTRAINT api_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER made_by BEFORE INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION name_maker();
GRANT SELECT ON api_keys TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (revoked_at) ON api_keys TO corridor_service;

CREATE TABLE api_key_uses (
  key_id text COLLATE "C" NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  CONSTRAINT api_key_uses_pkey PRIMARY KEY (key_id),
  CONSTRAINT api_key_uses_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id)
);
GRANT SELECT ON api_key_uses TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE ON api_key_uses TO corridor_service;

CREATE TABLE rates (
  base text NOT NULL,
  quote text NOT NULL,
  mid numeric NOT NULL,
  source text NOT NULL,
  as_of timestamp with time zone NOT NULL,
  loaded_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  sample boolean DEFAULT false NOT NULL,
  pegged boolean DEFAULT false NOT NULL,
  CONSTRAINT rates_pkey PRIMARY KEY (base, quote),
  CONSTRAINT rates_check CHECK ((base <> quote)),
  CONSTRAINT rates_mid_check CHECK (((mid > (0)::numeric) AND (mid < 'Infinity'::numeric)))
);
CREATE UNIQUE INDEX rates_one_anchor ON rates USING btree (quote) WHERE pegged;
CREATE UNIQUE INDEX rates_one_direction ON rates USING btree (LEAST(base, quote), GREATEST(base, quote));
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON rates FOR EACH STATEMENT EXECUTE FUNCTION announce_price_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON rates FOR EACH ROW EXECUTE FUNCTION keep_history('loaded_at');
GRANT SELECT ON rates TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE ON rates TO corridor_service;

CREATE TABLE fees (
  fee_id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  payout_type text NOT NULL,
  payout_currency text,
  destination_country text,
  network text,
  charge_type text,
  fixed_amount bigint DEFAULT 0 NOT NULL,
  fee_currency text NOT NULL,
  variable_bps integer DEFAULT 0 NOT NULL,
  minimum_amount bigint,
  maximum_amount bigint,
  sample boolean DEFAULT false NOT NULL,
  CONSTRAINT fees_pkey PRIMARY KEY (fee_id),
  CONSTRAINT fees_payout_type_payout_currency_destination_country_networ_key UNIQUE NULLS NOT DISTINCT (payout_type, payout_currency, destination_country, network, charge_type),
  CONSTRAINT fees_check CHECK ((maximum_amount >= COALESCE(minimum_amount, (0)::bigint))),
  CONSTRAINT fees_fixed_amount_check CHECK ((fixed_amount >= 0)),
  CONSTRAINT fees_minimum_amount_check CHECK ((minimum_amount >= 0)),
  CONSTRAINT fees_variable_bps_check CHECK (((variable_bps >= 0) AND (variable_bps <= 10000)))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON fees FOR EACH STATEMENT EXECUTE FUNCTION announce_price_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON fees FOR EACH ROW EXECUTE FUNCTION keep_history('fee_id');
GRANT SELECT ON fees TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE ON fees TO corridor_service;

CREATE TABLE pricing_policies (
  policy_id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id text COLLATE "C",
  from_currency text,
  to_currency text,
  name text NOT NULL,
  value text,
  effective_from timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT pricing_policies_pkey PRIMARY KEY (policy_id),
  CONSTRAINT pricing_policies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT not_in_the_past CHECK ((effective_from >= created_at)),
  CONSTRAINT pivot_of_the_installation CHECK (((name <> 'pivot'::text) OR (num_nonnulls(account_id, from_currency) = 0))),
  CONSTRAINT pricing_policies_check CHECK (((from_currency IS NULL) = (to_currency IS NULL))),
  CONSTRAINT pricing_policies_check1 CHECK ((from_currency <> to_currency)),
  CONSTRAINT pricing_policies_name_check CHECK ((name = ANY (ARRAY['spread_bps'::text, 'quote_validity_s'::text, 'schedule_s'::text, 'max_age_s'::text, 'pivot'::text]))),
  CONSTRAINT value_in_range CHECK (((value IS NULL) OR
CASE
    WHEN (name = 'pivot'::text) THEN (value ~ '^[A-Z]{3,4}$'::text)
    WHEN ((name = 'max_age_s'::text) AND (value = 'calendar'::text)) THEN true
    WHEN (value !~ '^(0|[1-9][0-9]{0,7})$'::text) THEN false
    WHEN (name = 'spread_bps'::text) THEN ((value)::integer <= 9999)
    WHEN (name = 'schedule_s'::text) THEN ((value)::integer <= 31536000)
    ELSE (((value)::integer >= 1) AND ((value)::integer <= 31536000))
END))
);
CREATE INDEX pricing_policies_by_scope ON pricing_policies USING btree (name, account_id, from_currency, to_currency, effective_from);
CREATE TRIGGER announce AFTER INSERT OR DELETE ON pricing_policies FOR EACH STATEMENT EXECUTE FUNCTION announce_price_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON pricing_policies FOR EACH ROW EXECUTE FUNCTION refuse_policy_change();
CREATE TRIGGER history AFTER INSERT ON pricing_policies FOR EACH ROW EXECUTE FUNCTION keep_policy_history();
CREATE TRIGGER not_truncated BEFORE TRUNCATE ON pricing_policies FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stamped BEFORE INSERT ON pricing_policies FOR EACH ROW EXECUTE FUNCTION stamp_policy();
CREATE TRIGGER taken_back AFTER DELETE ON pricing_policies FOR EACH ROW EXECUTE FUNCTION keep_history();
GRANT SELECT ON pricing_policies TO corridor_auditor;
GRANT DELETE, INSERT (account_id, effective_from, from_currency, name, to_currency, value), SELECT ON pricing_policies TO corridor_service;

CREATE TABLE rails (
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  config jsonb NOT NULL,
  secret text DEFAULT ''::text NOT NULL,
  paused_reason text DEFAULT ''::text NOT NULL,
  CONSTRAINT rails_pkey PRIMARY KEY (name),
  CONSTRAINT known_kind CHECK ((kind = ANY (ARRAY['manual'::text, 'iso20022'::text, 'nacha'::text, 'connector'::text, 'evm'::text]))),
  CONSTRAINT one_rail_of_people CHECK (((kind = 'manual'::text) = (name = 'manual'::text))),
  CONSTRAINT people_are_not_paused CHECK (((kind <> 'manual'::text) OR (paused_reason = ''::text))),
  CONSTRAINT rail_name CHECK (((name ~ '^[a-z][a-z0-9_]{1,30}$'::text) AND (name <> 'simulator'::text)))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON rails FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON rails FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keeps_its_chain BEFORE UPDATE ON rails FOR EACH ROW WHEN (((old.kind = 'evm'::text) AND ((((old.config -> 'chain'::text) IS DISTINCT FROM (new.config -> 'chain'::text)) OR ((old.config -> 'test_chain'::text) IS DISTINCT FROM (new.config -> 'test_chain'::text))) OR ((old.config -> 'tokens'::text) IS DISTINCT FROM (new.config -> 'tokens'::text))))) EXECUTE FUNCTION check_rail_identity();
CREATE TRIGGER keeps_its_identity BEFORE UPDATE ON rails FOR EACH ROW WHEN (((old.kind = 'connector'::text) AND ((old.config -> 'url'::text) IS DISTINCT FROM (new.config -> 'url'::text)))) EXECUTE FUNCTION check_rail_identity();
CREATE TRIGGER keeps_its_wallets BEFORE UPDATE ON rails FOR EACH ROW WHEN (((old.kind = 'evm'::text) AND ((old.config -> 'wallets'::text) IS DISTINCT FROM (new.config -> 'wallets'::text)))) EXECUTE FUNCTION check_rail_wallets();
CREATE TRIGGER legal_change BEFORE DELETE OR UPDATE ON rails FOR EACH ROW EXECUTE FUNCTION check_rail_change();
GRANT SELECT ON rails TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (config, paused_reason, secret) ON rails TO corridor_service;

CREATE TABLE routes (
  payout_type text,
  network text,
  currency text,
  country text,
  account_id text COLLATE "C",
  min_amount bigint,
  max_amount bigint,
  priority integer DEFAULT 0 NOT NULL,
  rail text COLLATE "C" NOT NULL,
  calendar text,
  cut_off text,
  zone text,
  lead_minutes integer,
  arrival_days integer,
  CONSTRAINT one_order_of_routes UNIQUE NULLS NOT DISTINCT (account_id, payout_type, network, currency, country, min_amount, max_amount, priority),
  CONSTRAINT one_route_to_a_rail UNIQUE NULLS NOT DISTINCT (account_id, payout_type, network, currency, country, min_amount, max_amount, rail),
  CONSTRAINT routes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT taken_by_a_known_rail FOREIGN KEY (rail) REFERENCES rails(name),
  CONSTRAINT amount_of_a_currency CHECK (((currency IS NOT NULL) OR ((min_amount IS NULL) AND (max_amount IS NULL)))),
  CONSTRAINT amounts_in_order CHECK ((min_amount <= max_amount)),
  CONSTRAINT network_of_a_type CHECK (((network IS NULL) OR (payout_type IS NOT NULL))),
  CONSTRAINT routes_arrival_days_check CHECK (((arrival_days >= 0) AND (arrival_days <= 30))),
  CONSTRAINT routes_calendar_check CHECK ((calendar = ANY (ARRAY['t2'::text, 'fed'::text, 'uk'::text, 'ch'::text, 'hk'::text]))),
  CONSTRAINT routes_cut_off_check CHECK ((cut_off ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'::text)),
  CONSTRAINT routes_lead_minutes_check CHECK (((lead_minutes >= 1) AND (lead_minutes <= 1440))),
  CONSTRAINT routes_max_amount_check CHECK ((max_amount > 0)),
  CONSTRAINT routes_min_amount_check CHECK ((min_amount > 0)),
  CONSTRAINT routes_priority_check CHECK (((priority >= '-1000'::integer) AND (priority <= 1000))),
  CONSTRAINT routes_zone_check CHECK ((zone <> ''::text)),
  CONSTRAINT simulator_takes_no_live_payout CHECK ((rail <> 'simulator'::text)),
  CONSTRAINT timetable_is_whole CHECK (((num_nulls(calendar, cut_off, zone, lead_minutes) = ANY (ARRAY[0, 4])) AND ((arrival_days IS NULL) OR (calendar IS NOT NULL)))),
  CONSTRAINT transfers_have_no_route CHECK ((payout_type <> 'service_account'::text))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON routes FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON routes FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER live_accounts_only BEFORE INSERT OR UPDATE ON routes FOR EACH ROW EXECUTE FUNCTION check_route();
GRANT SELECT ON routes TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE ON routes TO corridor_service;

CREATE TABLE books (
  account_id text COLLATE "C" NOT NULL,
  journal_count not_negative DEFAULT 0 NOT NULL,
  event_count not_negative DEFAULT 0 NOT NULL,
  last_written_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  clock_ahead clock_lead DEFAULT '00:00:00'::interval NOT NULL,
  head_hash digest NOT NULL,
  event_head digest DEFAULT decode(repeat('00'::text, 32), 'hex'::text) NOT NULL,
  written_day integer DEFAULT 0 NOT NULL,
  written_rows not_negative DEFAULT 0 NOT NULL,
  written_bytes not_negative DEFAULT 0 NOT NULL,
  sandbox boolean DEFAULT false NOT NULL,
  state account_state DEFAULT 'active'::text NOT NULL,
  has_limit_uses boolean DEFAULT false NOT NULL,
  CONSTRAINT books_pkey PRIMARY KEY (account_id),
  CONSTRAINT clock_of_a_sandbox CHECK ((sandbox OR ((clock_ahead)::interval = '00:00:00'::interval)))
) WITH (fillfactor=50);
CREATE TRIGGER clock_goes_forward BEFORE UPDATE OF clock_ahead ON books FOR EACH ROW WHEN (((new.clock_ahead)::interval < (old.clock_ahead)::interval)) EXECUTE FUNCTION refuse_clock_back();
CREATE TRIGGER state_of_account BEFORE UPDATE OF state ON books FOR EACH ROW WHEN ((((new.state)::text <> (old.state)::text) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION refuse_state();
CREATE TRIGGER time_near_clock BEFORE INSERT OR UPDATE OF last_written_at ON books FOR EACH ROW WHEN ((new.last_written_at > ((clock_timestamp() + (new.clock_ahead)::interval) + '00:10:00'::interval))) EXECUTE FUNCTION refuse_time_ahead();
ALTER TABLE books ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON books FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON books FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON books FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON books FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON books TO corridor_auditor;
GRANT SELECT (account_id, clock_ahead, event_count, journal_count, sandbox, state) ON books TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (clock_ahead, event_count, event_head, has_limit_uses, head_hash, journal_count, last_written_at, state, written_bytes, written_day, written_rows) ON books TO corridor_service;

CREATE TABLE database_clock (
  only_row boolean DEFAULT true NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  seen_by_host timestamp with time zone NOT NULL,
  stopped_from timestamp with time zone,
  stopped_at timestamp with time zone,
  CONSTRAINT database_clock_pkey PRIMARY KEY (only_row),
  CONSTRAINT database_clock_check CHECK (((stopped_from IS NULL) = (stopped_at IS NULL))),
  CONSTRAINT database_clock_only_row_check CHECK (only_row)
);
GRANT SELECT ON database_clock TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE ON database_clock TO corridor_service;

CREATE TABLE clock_corrections (
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  set_from timestamp with time zone NOT NULL,
  set_to timestamp with time zone NOT NULL,
  CONSTRAINT clock_corrections_pkey PRIMARY KEY (number)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON clock_corrections FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER history AFTER INSERT ON clock_corrections FOR EACH ROW EXECUTE FUNCTION keep_history();
GRANT SELECT ON clock_corrections TO corridor_auditor;
GRANT SELECT ON clock_corrections TO corridor_service;

CREATE TABLE balances (
  account_id text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  available bigint DEFAULT 0 NOT NULL,
  updated_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  account_state account_state DEFAULT 'active'::text NOT NULL,
  CONSTRAINT balances_pkey PRIMARY KEY (account_id, currency),
  CONSTRAINT balance_not_negative CHECK ((available >= 0))
) WITH (fillfactor=50);
CREATE TRIGGER account_may_move BEFORE UPDATE OF available ON balances FOR EACH ROW WHEN (((new.available <> old.available) AND ((new.account_state)::text <> 'active'::text) AND (((new.account_state)::text = 'closed'::text) OR (new.available < old.available)))) EXECUTE FUNCTION refuse_move();
CREATE TRIGGER state_of_account BEFORE UPDATE OF account_state ON balances FOR EACH ROW WHEN ((((new.account_state)::text <> (old.account_state)::text) AND (pg_trigger_depth() = 0))) EXECUTE FUNCTION refuse_state();
ALTER TABLE balances ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON balances FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON balances FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON balances FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON balances TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (account_state, available, updated_at) ON balances TO corridor_service;

CREATE TABLE journals (
  number positive NOT NULL,
  created_at timestamp with time zone NOT NULL,
  amount bigint,
  fixed_fee bigint,
  variable_fee bigint,
  balance_after not_negative,
  account_id text COLLATE "C" NOT NULL,
  kind journal_kind NOT NULL,
  source text COLLATE "C" NOT NULL,
  currency text,
  codes posting_codes NOT NULL,
  currencies text NOT NULL,
  amounts bigint[] NOT NULL,
  hash digest NOT NULL,
  undoes text COLLATE "C",
  fx_conversions json,
  metadata json,
  CONSTRAINT journal_of_a_conversion TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT journals_pkey PRIMARY KEY (account_id, number),
  CONSTRAINT sound_journal CHECK (journal_is_sound((kind)::text, (codes)::text, currencies, amounts, currency, amount, fixed_fee, variable_fee, (balance_after)::bigint, undoes, fx_conversions, metadata))
);
CREATE UNIQUE INDEX booked_once ON journals USING btree (account_id, source) WHERE ((undoes IS NULL) AND ((kind)::text <> 'settlement'::text));
CREATE INDEX fundings_of_lines ON journals USING btree (source) WHERE (((kind)::text = ANY (ARRAY['funding'::text, 'funding_reversal'::text])) AND (source ~~ 'esc\_line%'::text));
CREATE INDEX journals_by_currency ON journals USING btree (account_id, currency, number) WHERE (currency IS NOT NULL);
CREATE INDEX journals_by_kind ON journals USING btree (account_id, kind, number) WHERE ((kind)::text <> ALL (ARRAY['payout'::text, 'settlement'::text]));
CREATE UNIQUE INDEX journals_by_reference ON journals USING btree (account_id, kind, ((metadata ->> 'reference'::text))) WHERE (((kind)::text = ANY (ARRAY['funding'::text, 'withdrawal'::text, 'adjustment'::text])) AND ((metadata ->> 'reference'::text) IS NOT NULL));
CREATE INDEX journals_of_credits ON journals USING btree (account_id, number) WHERE (((amount + fixed_fee) + variable_fee) > 0);
CREATE UNIQUE INDEX undone_once ON journals USING btree (account_id, undoes) WHERE (undoes IS NOT NULL);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON journals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER funds_no_more AFTER INSERT ON journals FOR EACH ROW WHEN (((new.kind)::text = 'funding_reversal'::text)) EXECUTE FUNCTION keep_funding_reference();
CREATE TRIGGER funds_one_account AFTER INSERT ON journals FOR EACH ROW WHEN (((new.kind)::text = 'funding'::text)) EXECUTE FUNCTION keep_funding_reference();
CREATE TRIGGER gives_back_what_was_taken AFTER INSERT ON journals FOR EACH ROW WHEN (((new.kind)::text = ANY (ARRAY['failure'::text, 'reversal'::text]))) EXECUTE FUNCTION gives_back_what_was_taken();
CREATE CONSTRAINT TRIGGER journal_of_a_conversion AFTER INSERT ON journals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.kind)::text = ANY (ARRAY['conversion_out'::text, 'conversion_in'::text]))) EXECUTE FUNCTION check_conversion_journal();
ALTER TABLE journals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON journals FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON journals FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON journals FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON journals TO corridor_auditor;
GRANT INSERT, SELECT ON journals TO corridor_service;

CREATE TABLE funding_references (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  reference text COLLATE "C" NOT NULL,
  split boolean NOT NULL,
  reversed boolean DEFAULT false NOT NULL,
  CONSTRAINT funding_references_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT funding_references_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id)
);
CREATE INDEX funding_references_by_reference ON funding_references USING btree (reference);
CREATE UNIQUE INDEX one_live_account_a_reference ON funding_references USING btree (reference) WHERE ((NOT split) AND (NOT reversed));
GRANT SELECT ON funding_references TO corridor_auditor;

CREATE TABLE events (
  sequence bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  told event_words COLLATE "C" NOT NULL,
  type text COLLATE "C" NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  data json,
  content digests,
  kept digest,
  hash digest NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (account_id, sequence),
  CONSTRAINT named_as_told CHECK ((((type <> ''::text) = (("left"((told)::text, 1) = '-'::text) OR (strpos((told)::text, 'B'::text) > 0))) AND ((object_id <> ''::text) = (strpos('-S'::text, "left"((told)::text, 1)) > 0)))),
  CONSTRAINT numbered_from_one CHECK ((cardinality(string_to_array((told)::text, ' '::text)) <= sequence))
);
CREATE INDEX events_by_object ON events USING btree (account_id, object_id, sequence) WHERE (object_id <> ''::text);
CREATE INDEX events_by_type ON events USING btree (account_id, type, sequence) WHERE (type <> ''::text);
CREATE TRIGGER append_only BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION guard_event();
CREATE TRIGGER removed_after_archive BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION guard_removed_row();
CREATE TRIGGER removed_by_archives BEFORE DELETE ON events FOR EACH STATEMENT EXECUTE FUNCTION guard_removal();
ALTER TABLE events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON events FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON events FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON events FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON events TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (data) ON events TO corridor_service;

CREATE TABLE idempotency_keys (
  created_at timestamp with time zone NOT NULL,
  status integer NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  request_hash digest NOT NULL,
  body text NOT NULL,
  headers json,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, operation, key),
  CONSTRAINT idempotency_keys_status_check CHECK (((status >= 200) AND (status <= 299)))
);
CREATE INDEX idempotency_keys_age ON idempotency_keys USING btree (created_at);
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON idempotency_keys FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON idempotency_keys FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON idempotency_keys FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON idempotency_keys FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON idempotency_keys TO corridor_auditor;
GRANT SELECT (account_id, created_at) ON idempotency_keys TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (body, created_at, headers, request_hash, status) ON idempotency_keys TO corridor_service;

CREATE TABLE beneficiaries (
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  archived_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  details json NOT NULL,
  made_by maker COLLATE "C" NOT NULL,
  type text COLLATE "C" GENERATED ALWAYS AS ((details ->> 'type'::text)) STORED NOT NULL,
  destination_type text COLLATE "C" GENERATED ALWAYS AS ((details #>> '{destination_details,type}'::text[])) STORED NOT NULL,
  found_by text COLLATE "C" DEFAULT ''::text NOT NULL,
  screening text DEFAULT ''::text NOT NULL,
  screened bigint,
  approval text DEFAULT ''::text NOT NULL,
  CONSTRAINT asked_of_people TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT asked_of_people_again TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT beneficiaries_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT archived_after_it_was_made CHECK ((archived_at > created_at)),
  CONSTRAINT beneficiaries_approval_check CHECK ((approval = ANY (ARRAY[''::text, 'pending_approval'::text, 'approved'::text, 'rejected'::text]))),
  CONSTRAINT beneficiaries_details_check CHECK ((octet_length((details)::text) <= 262144)),
  CONSTRAINT beneficiaries_screening_check CHECK ((screening = ANY (ARRAY[''::text, 'open'::text, 'confirmed'::text]))),
  CONSTRAINT erased_is_not_found CHECK (((found_by = ''::text) OR ((details ->> 'name'::text) <> ''::text)))
);
CREATE INDEX beneficiaries_archived ON beneficiaries USING btree (account_id, type, destination_type, id) WHERE (archived_at IS NOT NULL);
CREATE INDEX beneficiaries_by_approval ON beneficiaries USING btree (account_id, approval, id) WHERE (approval <> ''::text);
CREATE INDEX beneficiaries_by_type ON beneficiaries USING btree (account_id, type, destination_type, id) WHERE (archived_at IS NULL);
CREATE INDEX beneficiaries_found ON beneficiaries USING btree (account_id, id) INCLUDE (found_by);
CREATE INDEX beneficiaries_screening ON beneficiaries USING btree (account_id, id) WHERE (screening <> ''::text);
CREATE TRIGGER approved_as_it_is BEFORE UPDATE OF details, approval, updated_at ON beneficiaries FOR EACH ROW WHEN ((((old.approval <> ''::text) AND ((((old.details)::text IS DISTINCT FROM (new.details)::text) OR (old.approval IS DISTINCT FROM new.approval)) OR (old.updated_at IS DISTINCT FROM new.updated_at))) OR (old.approval <> new.approval))) EXECUTE FUNCTION check_beneficiary_approved();
CREATE TRIGGER approved_by_people BEFORE INSERT ON beneficiaries FOR EACH ROW WHEN ((new.approval = ANY (ARRAY['approved'::text, 'rejected'::text]))) EXECUTE FUNCTION check_beneficiary_approved();
CREATE TRIGGER asked_first AFTER INSERT ON beneficiaries REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION check_asked();
CREATE CONSTRAINT TRIGGER asked_of_people AFTER INSERT ON beneficiaries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.approval = 'pending_approval'::text)) EXECUTE FUNCTION check_asked_of_people();
CREATE CONSTRAINT TRIGGER asked_of_people_again AFTER UPDATE OF details, approval, updated_at ON beneficiaries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.approval = 'pending_approval'::text)) EXECUTE FUNCTION check_asked_of_people();
CREATE TRIGGER asked_when_changed AFTER UPDATE OF details ON beneficiaries FOR EACH ROW WHEN (((new.approval = ''::text) AND ((old.details)::text <> (new.details)::text) AND ((new.details ->> 'status'::text) IS DISTINCT FROM 'erased'::text))) EXECUTE FUNCTION check_change_asked();
CREATE TRIGGER erased_once BEFORE UPDATE ON beneficiaries FOR EACH ROW WHEN (((((old.details ->> 'name'::text) = ''::text) OR ((new.details ->> 'name'::text) = ''::text)) AND ((old.details)::text <> (new.details)::text))) EXECUTE FUNCTION guard_beneficiary();
CREATE TRIGGER payouts_screened_again AFTER UPDATE OF screening ON beneficiaries FOR EACH ROW WHEN (((old.screening <> new.screening) AND (new.screening = 'confirmed'::text))) EXECUTE FUNCTION unscreen_payouts_to();
CREATE TRIGGER screened_when_changed AFTER UPDATE OF details ON beneficiaries FOR EACH ROW WHEN (((old.details)::text <> (new.details)::text)) EXECUTE FUNCTION queue_party();
CREATE TRIGGER screened_when_made AFTER INSERT ON beneficiaries FOR EACH ROW WHEN ((new.screened IS NULL)) EXECUTE FUNCTION queue_party();
ALTER TABLE beneficiaries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON beneficiaries FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON beneficiaries FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON beneficiaries FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON beneficiaries FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON beneficiaries TO corridor_auditor;
GRANT SELECT (account_id, id, screening) ON beneficiaries TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (approval, archived_at, details, found_by, screening, updated_at) ON beneficiaries TO corridor_service;

CREATE TABLE entities (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  on_behalf_of text COLLATE "C" NOT NULL,
  reference_id text NOT NULL,
  details json NOT NULL,
  approval_status text NOT NULL,
  approval_status_description text DEFAULT ''::text NOT NULL,
  approval_history json NOT NULL,
  made_by maker COLLATE "C" NOT NULL,
  email_key bytea,
  national_identification_key bytea,
  name_address_key bytea,
  registration_key bytea,
  import_key bytea,
  found_by text COLLATE "C" DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  screening text DEFAULT ''::text NOT NULL,
  CONSTRAINT entities_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT business_in_review_is_registered CHECK (((type <> 'business'::text) OR (approval_status <> ALL (ARRAY['submitted'::text, 'resubmitted'::text])) OR (registration_key IS NOT NULL))),
  CONSTRAINT entities_approval_history_check CHECK ((octet_length((approval_history)::text) <= 2097152)),
  CONSTRAINT entities_approval_status_check CHECK ((approval_status = ANY (ARRAY['pending'::text, 'submitted'::text, 'approved'::text, 'rejected'::text, 'requires_action'::text, 'resubmitted'::text]))),
  CONSTRAINT entities_details_check CHECK ((octet_length((details)::text) <= 262144)),
  CONSTRAINT entities_screening_check CHECK ((screening = ANY (ARRAY[''::text, 'open'::text, 'confirmed'::text]))),
  CONSTRAINT entities_type_check CHECK ((type = ANY (ARRAY['individual'::text, 'business'::text]))),
  CONSTRAINT erased_is_not_found CHECK (((found_by = ''::text) OR ((details ->> 'name'::text) <> ''::text))),
  CONSTRAINT keys_of_its_type CHECK (
CASE type
    WHEN 'individual'::text THEN (registration_key IS NULL)
    ELSE (num_nonnulls(email_key, national_identification_key, name_address_key) = 0)
END)
) WITH (fillfactor=90);
CREATE INDEX entities_by_principal ON entities USING btree (account_id, on_behalf_of, id) WHERE (on_behalf_of <> ''::text);
CREATE INDEX entities_by_reference ON entities USING btree (account_id, reference_id, id) WHERE (reference_id <> ''::text);
CREATE INDEX entities_by_status ON entities USING btree (account_id, approval_status, id);
CREATE INDEX entities_by_type ON entities USING btree (account_id, type, id);
CREATE INDEX entities_found ON entities USING btree (account_id, id) INCLUDE (found_by);
CREATE INDEX entities_in_review ON entities USING btree (updated_at) WHERE (approval_status = ANY (ARRAY['submitted'::text, 'resubmitted'::text]));
CREATE INDEX entities_rejected_email ON entities USING btree (account_id, email_key) WHERE ((approval_status = 'rejected'::text) AND (email_key IS NOT NULL));
CREATE INDEX entities_rejected_name_address ON entities USING btree (account_id, name_address_key) WHERE ((approval_status = 'rejected'::text) AND (name_address_key IS NOT NULL));
CREATE INDEX entities_rejected_national_identification ON entities USING btree (account_id, national_identification_key) WHERE ((approval_status = 'rejected'::text) AND (national_identification_key IS NOT NULL));
CREATE INDEX entities_rejected_registration ON entities USING btree (account_id, registration_key) WHERE ((approval_status = 'rejected'::text) AND (registration_key IS NOT NULL));
CREATE INDEX entities_screening ON entities USING btree (account_id, id) WHERE (screening <> ''::text);
CREATE UNIQUE INDEX entity_email_once ON entities USING btree (account_id, email_key) WHERE ((approval_status <> 'rejected'::text) AND (email_key IS NOT NULL));
CREATE UNIQUE INDEX entity_imported_once ON entities USING btree (account_id, import_key) WHERE (import_key IS NOT NULL);
CREATE UNIQUE INDEX entity_name_address_once ON entities USING btree (account_id, name_address_key) WHERE ((approval_status <> 'rejected'::text) AND (name_address_key IS NOT NULL));
CREATE UNIQUE INDEX entity_national_identification_once ON entities USING btree (account_id, national_identification_key) WHERE ((approval_status <> 'rejected'::text) AND (national_identification_key IS NOT NULL));
CREATE UNIQUE INDEX entity_registration_once ON entities USING btree (account_id, registration_key) WHERE ((approval_status <> 'rejected'::text) AND (registration_key IS NOT NULL));
CREATE TRIGGER cleared_before_approved BEFORE UPDATE OF approval_status ON entities FOR EACH ROW WHEN (((new.approval_status = 'approved'::text) AND (old.approval_status <> 'approved'::text) AND (new.screening <> ''::text))) EXECUTE FUNCTION refuse_listed_approval();
CREATE TRIGGER erased_once BEFORE UPDATE ON entities FOR EACH ROW WHEN ((((old.details ->> 'name'::text) = ''::text) OR ((new.details ->> 'name'::text) = ''::text))) EXECUTE FUNCTION guard_entity();
CREATE TRIGGER legal_transition BEFORE UPDATE OF approval_status ON entities FOR EACH ROW WHEN (((old.approval_status <> new.approval_status) AND ((((((((((((((((((old.approval_status <> 'pending'::text) OR (new.approval_status <> 'submitted'::text)) AND ((old.approval_status <> 'pending'::text) OR (new.approval_status <> 'approved'::text))) AND ((old.approval_status <> 'pending'::text) OR (new.approval_status <> 'rejected'::text))) AND ((old.approval_status <> 'pending'::text) OR (new.approval_status <> 'requires_action'::text))) AND ((old.approval_status <> 'submitted'::text) OR (new.approval_status <> 'approved'::text))) AND ((old.approval_status <> 'submitted'::text) OR (new.approval_status <> 'rejected'::text))) AND ((old.approval_status <> 'submitted'::text) OR (new.approval_status <> 'requires_action'::text))) AND ((old.approval_status <> 'requires_action'::text) OR (new.approval_status <> 'resubmitted'::text))) AND ((old.approval_status <> 'requires_action'::text) OR (new.approval_status <> 'approved'::text))) AND ((old.approval_status <> 'requires_action'::text) OR (new.approval_status <> 'rejected'::text))) AND ((old.approval_status <> 'resubmitted'::text) OR (new.approval_status <> 'approved'::text))) AND ((old.approval_status <> 'resubmitted'::text) OR (new.approval_status <> 'rejected'::text))) AND ((old.approval_status <> 'resubmitted'::text) OR (new.approval_status <> 'requires_action'::text))) AND ((old.approval_status <> 'approved'::text) OR (new.approval_status <> 'resubmitted'::text))) AND ((old.approval_status <> 'approved'::text) OR (new.approval_status <> 'rejected'::text))) AND ((old.approval_status <> 'approved'::text) OR (new.approval_status <> 'requires_action'::text))) AND ((old.approval_status <> 'rejected'::text) OR (new.approval_status <> 'approved'::text))))) EXECUTE FUNCTION refuse_approval_step();
CREATE TRIGGER payouts_screened_again AFTER UPDATE OF screening ON entities FOR EACH ROW WHEN (((old.screening <> new.screening) AND (new.screening = 'confirmed'::text))) EXECUTE FUNCTION unscreen_payouts();
CREATE TRIGGER screened_again AFTER UPDATE OF details ON entities FOR EACH ROW WHEN (((old.details)::text <> (new.details)::text)) EXECUTE FUNCTION unscreen_payouts();
CREATE TRIGGER screened_when_changed AFTER UPDATE OF details ON entities FOR EACH ROW WHEN (((old.details)::text <> (new.details)::text)) EXECUTE FUNCTION queue_party();
CREATE TRIGGER screened_when_made AFTER INSERT ON entities FOR EACH ROW EXECUTE FUNCTION queue_party();
ALTER TABLE entities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON entities FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON entities FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON entities FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON entities FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON entities TO corridor_auditor;
GRANT SELECT (account_id, id, screening) ON entities TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (approval_history, approval_status, approval_status_description, details, email_key, found_by, name_address_key, national_identification_key, on_behalf_of, reference_id, registration_key, screening, updated_at) ON entities TO corridor_service;

CREATE TABLE search_blocks (
  account_id text COLLATE "C" NOT NULL,
  listed text COLLATE "C" NOT NULL,
  after_id text COLLATE "C" NOT NULL,
  last_id text COLLATE "C" NOT NULL,
  bits bytea NOT NULL,
  CONSTRAINT search_blocks_pkey PRIMARY KEY (account_id, listed, last_id),
  CONSTRAINT search_blocks_bits_check CHECK ((octet_length(bits) = 16384)),
  CONSTRAINT search_blocks_check CHECK ((after_id < last_id)),
  CONSTRAINT search_blocks_listed_check CHECK ((listed = ANY (ARRAY['beneficiaries'::text, 'entities'::text])))
);
ALTER TABLE search_blocks ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON search_blocks FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON search_blocks FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON search_blocks FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON search_blocks TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON search_blocks TO corridor_service;

CREATE TABLE ended_reviews (
  account_id text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT ended_reviews_pkey PRIMARY KEY (account_id, entity_id)
);
CREATE INDEX ended_reviews_due ON ended_reviews USING btree (due_at);
ALTER TABLE ended_reviews ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON ended_reviews FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON ended_reviews FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON ended_reviews FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON ended_reviews FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON ended_reviews TO corridor_auditor;
GRANT SELECT (account_id, due_at, entity_id) ON ended_reviews TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (due_at) ON ended_reviews TO corridor_service;

CREATE TABLE entity_duplicates (
  found_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  rule text COLLATE "C" NOT NULL,
  differs text[] NOT NULL,
  CONSTRAINT entity_duplicates_pkey PRIMARY KEY (account_id, entity_id, rule, differs)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON entity_duplicates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER at_most_100 BEFORE INSERT ON entity_duplicates FOR EACH ROW EXECUTE FUNCTION keep_100_duplicates();
ALTER TABLE entity_duplicates ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON entity_duplicates FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON entity_duplicates FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON entity_duplicates FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON entity_duplicates TO corridor_auditor;
GRANT INSERT, SELECT ON entity_duplicates TO corridor_service;

CREATE TABLE quotes (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  holding_amount positive NOT NULL,
  payout_amount positive NOT NULL,
  destination_amount positive NOT NULL,
  fixed_fee_holding not_negative NOT NULL,
  fixed_fee_payout not_negative NOT NULL,
  variable_fee_holding not_negative NOT NULL,
  variable_fee_payout not_negative NOT NULL,
  fx_income_holding not_negative NOT NULL,
  fx_income_destination not_negative NOT NULL,
  valid_until timestamp with time zone NOT NULL,
  expected_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  status text NOT NULL,
  made_by maker COLLATE "C" NOT NULL,
  payout_type text NOT NULL,
  holding_currency text NOT NULL,
  payout_currency text NOT NULL,
  destination_currency text NOT NULL,
  destination_country text NOT NULL,
  holding_to_payout positive_rate NOT NULL,
  payout_to_destination positive_rate NOT NULL,
  fund_transfer_network text NOT NULL,
  payment_network text NOT NULL,
  wallet_type text NOT NULL,
  wallet_network text NOT NULL,
  charge_type text NOT NULL,
  entity_id text NOT NULL,
  basis json NOT NULL,
  renewed_as text COLLATE "C" DEFAULT ''::text NOT NULL,
  CONSTRAINT quotes_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT conversion_of_two_balances CHECK ((((payout_type = 'conversion'::text) = ("left"(id, 4) = 'coq_'::text)) AND ((payout_type <> 'conversion'::text) OR ((holding_currency <> payout_currency) AND (destination_currency = payout_currency) AND ((destination_amount)::bigint = (payout_amount)::bigint) AND ((fx_income_destination)::bigint = 0) AND (entity_id = ''::text))))) NOT VALID,
  CONSTRAINT quotes_status_check CHECK ((status = ANY (ARRAY['active'::text, 'used'::text]))),
  CONSTRAINT renewed_once CHECK (((renewed_as = ''::text) OR (status = 'used'::text)))
) WITH (fillfactor=90, autovacuum_vacuum_scale_factor=0.05);
CREATE INDEX quotes_by_entity ON quotes USING btree (account_id, entity_id, id) WHERE (entity_id <> ''::text);
CREATE INDEX quotes_by_kind ON quotes USING btree (account_id, status, payout_type, id, valid_until);
CREATE TRIGGER unused_and_expired BEFORE DELETE ON quotes FOR EACH ROW EXECUTE FUNCTION refuse_removal_of_quote();
ALTER TABLE quotes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON quotes FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON quotes FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON quotes FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON quotes TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (renewed_as, status, updated_at) ON quotes TO corridor_service;

CREATE TABLE payouts (
  amount positive NOT NULL,
  holding_amount positive NOT NULL,
  fixed_fee not_negative NOT NULL,
  variable_fee not_negative NOT NULL,
  destination_amount positive NOT NULL,
  created_at timestamp with time zone NOT NULL,
  quote_validity_s integer,
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  quote_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  currency text NOT NULL,
  holding_currency text NOT NULL,
  destination_currency text NOT NULL,
  holding_to_payout positive_rate NOT NULL,
  payout_to_destination positive_rate NOT NULL,
  holding_fx_id text NOT NULL,
  payout_fx_id text NOT NULL,
  balance_transaction_id text COLLATE "C" NOT NULL,
  beneficiary_id text COLLATE "C" NOT NULL,
  beneficiary_details bounded_json NOT NULL,
  particulars payout_particulars NOT NULL,
  reference_id text COLLATE "C" NOT NULL,
  on_behalf_of text COLLATE "C" NOT NULL,
  fund_transfer_network text NOT NULL,
  charge_type text NOT NULL,
  destination_country text DEFAULT ''::text NOT NULL,
  basis json,
  first_rail text DEFAULT ''::text NOT NULL,
  route json,
  mt103 text DEFAULT ''::text NOT NULL,
  import_keys text DEFAULT ''::text NOT NULL,
  made_by maker COLLATE "C" NOT NULL,
  execute_at timestamp with time zone,
  CONSTRAINT payouts_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT payouts_check CHECK ((execute_at > created_at)),
  CONSTRAINT payouts_quote_validity_s_check CHECK ((quote_validity_s > 0)),
  CONSTRAINT qr_iban_with_its_reference CHECK ((((((beneficiary_details)::json #>> '{destination_details,bank,iban}'::text[]) ~ '^(CH|LI)[0-9]{2}3[01]'::text) IS TRUE) = ((((particulars)::json ->> 'creditor_reference'::text) ~ '^[0-9]{27}$'::text) IS TRUE))),
  CONSTRAINT quote_or_terms CHECK (
CASE quote_id
    WHEN ''::text THEN (num_nulls(basis, quote_validity_s) = 0)
    ELSE ((num_nonnulls(basis, quote_validity_s) = 0) AND (destination_country = ''::text))
END)
);
CREATE INDEX payouts_by_beneficiary ON payouts USING btree (account_id, beneficiary_id, id) WHERE (substr(beneficiary_id, 5, 11) <> substr(id, 5, 11));
CREATE INDEX payouts_by_kind ON payouts USING btree (account_id, currency, holding_currency, type, id);
CREATE INDEX payouts_by_on_behalf_of ON payouts USING btree (account_id, on_behalf_of, id) WHERE (on_behalf_of <> ''::text);
CREATE INDEX payouts_by_person ON payouts USING btree (account_id, made_by, id) WHERE ("left"((made_by)::text, 4) <> 'key_'::text);
CREATE INDEX payouts_by_reference_id ON payouts USING btree (account_id, reference_id, id) WHERE (reference_id <> ''::text);
CREATE UNIQUE INDEX quote_used_once ON payouts USING btree (account_id, quote_id) WHERE (quote_id <> ''::text);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION guard_payout();
CREATE TRIGGER may_be_made AFTER INSERT ON payouts REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION check_new_payouts();
ALTER TABLE payouts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payouts FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payouts FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON payouts FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payouts TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (beneficiary_details, mt103, particulars) ON payouts TO corridor_service;

CREATE TABLE open_payouts (
  updated_at timestamp with time zone NOT NULL,
  ask_rail_at timestamp with time zone,
  claimed_until timestamp with time zone,
  taken_at timestamp with time zone,
  expected_at timestamp with time zone,
  taken_over_at timestamp with time zone,
  rail_steps count_of DEFAULT 0 NOT NULL,
  rail_attempts count_of DEFAULT 0 NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  status open_payout_status NOT NULL,
  rail text NOT NULL,
  status_description text DEFAULT ''::text NOT NULL,
  held_for text COLLATE "C" DEFAULT ''::text NOT NULL,
  rail_reference text DEFAULT ''::text NOT NULL,
  taken_by text DEFAULT ''::text NOT NULL,
  answers payout_answers DEFAULT '[]'::json NOT NULL,
  failure json,
  execute_at timestamp with time zone,
  metadata json,
  screened bigint,
  screening payout_screening DEFAULT ''::text NOT NULL,
  compared bigint,
  awaits_funds_of text COLLATE "C",
  awaits_funds_since timestamp with time zone,
  CONSTRAINT asked_of_people TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT open_payouts_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT approved_before_it_is_sent CHECK ((((status)::text <> 'pending_approval'::text) OR ((ask_rail_at IS NULL) AND ((rail_attempts)::integer = 0) AND (taken_by = ''::text)))),
  CONSTRAINT awaits_funds_since_a_time CHECK (((awaits_funds_of IS NULL) = (awaits_funds_since IS NULL))),
  CONSTRAINT claimed_to_ask CHECK (((claimed_until IS NULL) OR ((ask_rail_at IS NOT NULL) AND ((rail_attempts)::integer > 0)))),
  CONSTRAINT held_is_not_screened CHECK ((((screening)::text = ''::text) OR (screened IS NULL))),
  CONSTRAINT held_while_in_compliance_hold CHECK (((held_for = ''::text) OR ((status)::text = 'compliance_hold'::text))),
  CONSTRAINT open_or_asked CHECK ((((status)::text <> 'succeeded'::text) OR (ask_rail_at IS NOT NULL))),
  CONSTRAINT people_are_not_asked CHECK (((rail <> 'manual'::text) OR (ask_rail_at IS NULL))),
  CONSTRAINT taken_by_hand CHECK ((((taken_by = ''::text) OR (rail = 'manual'::text)) AND ((taken_by = ''::text) = (taken_at IS NULL))))
) WITH (fillfactor=50, autovacuum_vacuum_scale_factor=0.02);
CREATE INDEX open_payouts_due ON open_payouts USING btree (ask_rail_at) WHERE (ask_rail_at IS NOT NULL);
CREATE INDEX open_payouts_scheduled ON open_payouts USING btree (account_id, id) WHERE (execute_at IS NOT NULL);
CREATE INDEX open_payouts_unscreened ON open_payouts USING btree (account_id, id) WHERE (screened IS NULL);
CREATE INDEX open_payouts_waiting ON open_payouts USING btree (account_id, status, id) WHERE ((status)::text <> 'processing'::text);
CREATE TRIGGER approved_first BEFORE UPDATE OF status ON open_payouts FOR EACH ROW WHEN ((((old.status)::text = 'pending_approval'::text) AND ((new.status)::text <> 'pending_approval'::text))) EXECUTE FUNCTION check_approved();
CREATE CONSTRAINT TRIGGER asked_of_people AFTER INSERT ON open_payouts DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status)::text = 'pending_approval'::text)) EXECUTE FUNCTION check_payout_asked();
CREATE TRIGGER cleared_by_a_person BEFORE UPDATE OF screening ON open_payouts FOR EACH ROW WHEN ((((old.screening)::text = ANY (ARRAY['open'::text, 'confirmed'::text])) AND ((new.screening)::text = ANY (ARRAY[''::text, 'waits'::text])))) EXECUTE FUNCTION check_cleared();
CREATE TRIGGER counted_as_it_changes AFTER UPDATE ON open_payouts REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_open_payouts();
CREATE TRIGGER counted_as_it_ends AFTER DELETE ON open_payouts REFERENCING OLD TABLE AS before FOR EACH STATEMENT EXECUTE FUNCTION count_open_payouts();
CREATE TRIGGER failed_before_its_time BEFORE DELETE ON open_payouts FOR EACH ROW WHEN ((old.execute_at IS NOT NULL)) EXECUTE FUNCTION refuse_early_end();
CREATE TRIGGER failed_unless_approved BEFORE DELETE ON open_payouts FOR EACH ROW WHEN (((old.status)::text = 'pending_approval'::text)) EXECUTE FUNCTION check_not_approved();
CREATE TRIGGER keeps_its_time BEFORE UPDATE OF execute_at ON open_payouts FOR EACH ROW WHEN ((old.execute_at IS DISTINCT FROM new.execute_at)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_failover BEFORE UPDATE OF rail ON open_payouts FOR EACH ROW WHEN (((old.rail <> new.rail) AND ((old.rail = ANY (ARRAY[''::text, 'simulator'::text, 'manual'::text])) OR (new.rail = ANY (ARRAY[''::text, 'simulator'::text]))))) EXECUTE FUNCTION refuse_other_rail();
CREATE TRIGGER legal_transition BEFORE UPDATE OF status ON open_payouts FOR EACH ROW WHEN ((((old.status)::text <> (new.status)::text) AND (((((((((((old.status)::text <> 'pending_approval'::text) OR ((new.status)::text <> 'processing'::text)) AND (((old.status)::text <> 'pending_approval'::text) OR ((new.status)::text <> 'compliance_hold'::text))) AND (((old.status)::text <> 'processing'::text) OR ((new.status)::text <> 'succeeded'::text))) AND (((old.status)::text <> 'processing'::text) OR ((new.status)::text <> 'requires_action'::text))) AND (((old.status)::text <> 'processing'::text) OR ((new.status)::text <> 'compliance_hold'::text))) AND (((old.status)::text <> 'requires_action'::text) OR ((new.status)::text <> 'processing'::text))) AND (((old.status)::text <> 'requires_action'::text) OR ((new.status)::text <> 'succeeded'::text))) AND (((old.status)::text <> 'compliance_hold'::text) OR ((new.status)::text <> 'processing'::text))) AND (((old.status)::text <> 'compliance_hold'::text) OR ((new.status)::text <> 'succeeded'::text))))) EXECUTE FUNCTION refuse_payout_step();
CREATE TRIGGER not_before_its_time BEFORE UPDATE OF rail_attempts, taken_by, status ON open_payouts FOR EACH ROW WHEN (((new.execute_at IS NOT NULL) AND (((new.rail_attempts)::integer > 0) OR (new.taken_by <> ''::text) OR ((new.status)::text = 'succeeded'::text)))) EXECUTE FUNCTION refuse_early_payout();
CREATE TRIGGER taken_for_an_approved_entity BEFORE UPDATE OF rail_attempts, taken_by ON open_payouts FOR EACH ROW WHEN (((new.execute_at IS NOT NULL) AND ((((old.rail_attempts)::integer = 0) AND ((new.rail_attempts)::integer > 0)) OR ((new.taken_by <> ''::text) AND (new.taken_by <> old.taken_by))))) EXECUTE FUNCTION refuse_unapproved_payout();
ALTER TABLE open_payouts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON open_payouts FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON open_payouts FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON open_payouts FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON open_payouts FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON open_payouts TO corridor_auditor;
GRANT SELECT (account_id, ask_rail_at, awaits_funds_of, claimed_until, compared, execute_at, held_for, id, rail, rail_attempts, screened, screening, status) ON open_payouts TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (answers, ask_rail_at, awaits_funds_of, awaits_funds_since, claimed_until, compared, expected_at, failure, held_for, metadata, rail, rail_attempts, rail_reference, rail_steps, screened, screening, status, status_description, taken_at, taken_by, taken_over_at, updated_at) ON open_payouts TO corridor_service;

CREATE TABLE payout_outcomes (
  updated_at timestamp with time zone NOT NULL,
  taken_at timestamp with time zone,
  expected_at timestamp with time zone,
  taken_over_at timestamp with time zone,
  succeeded_at timestamp with time zone,
  rail_steps count_of NOT NULL,
  rail_attempts count_of NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  rail text NOT NULL,
  status_description text NOT NULL,
  rail_reference text NOT NULL,
  taken_by text NOT NULL,
  answers payout_answers NOT NULL,
  failure json,
  metadata json,
  CONSTRAINT payout_outcomes_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT paid_by_hand_with_reference CHECK (((rail <> 'manual'::text) OR (status <> ALL (ARRAY['succeeded'::text, 'reversed'::text])) OR ((rail_reference <> ''::text) AND (taken_by <> ''::text)))),
  CONSTRAINT payout_outcomes_status_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'reversed'::text]))),
  CONSTRAINT reversed_after_it_succeeded CHECK ((((status = 'reversed'::text) = (succeeded_at IS NOT NULL)) AND (succeeded_at <= updated_at))),
  CONSTRAINT taken_by_hand CHECK ((((taken_by = ''::text) OR (rail = 'manual'::text)) AND ((taken_by = ''::text) = (taken_at IS NULL))))
);
CREATE INDEX payout_outcomes_by_bank_reference ON payout_outcomes USING btree (fold_reference(rail_reference)) WHERE (rail_reference <> ''::text);
CREATE INDEX payout_outcomes_given_back ON payout_outcomes USING btree (account_id, status, id) WHERE (status <> 'succeeded'::text);
CREATE TRIGGER erased_only BEFORE UPDATE OF answers ON payout_outcomes FOR EACH ROW WHEN (((old.answers)::text <> (new.answers)::text)) EXECUTE FUNCTION guard_outcome();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON payout_outcomes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_transition BEFORE UPDATE OF status ON payout_outcomes FOR EACH ROW WHEN (((old.status <> new.status) AND ((old.status <> 'succeeded'::text) OR (new.status <> 'reversed'::text)))) EXECUTE FUNCTION refuse_payout_step();
CREATE TRIGGER reversed_after_success BEFORE INSERT ON payout_outcomes FOR EACH ROW WHEN ((new.status = 'reversed'::text)) EXECUTE FUNCTION refuse_first_reversal();
ALTER TABLE payout_outcomes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_outcomes FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_outcomes FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON payout_outcomes FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_outcomes TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (answers, failure, metadata, rail_attempts, rail_reference, rail_steps, status, status_description, succeeded_at, taken_over_at, updated_at) ON payout_outcomes TO corridor_service;

CREATE TABLE holds (
  account_id text COLLATE "C" NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  CONSTRAINT holds_pkey PRIMARY KEY (account_id, entity_id, payout_id)
);
ALTER TABLE holds ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON holds FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON holds FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON holds FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON holds TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON holds TO corridor_service;

CREATE TABLE payout_fingerprints (
  created_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  CONSTRAINT payout_fingerprints_pkey PRIMARY KEY (account_id, fingerprint, payout_id),
  CONSTRAINT payout_fingerprints_fingerprint_check CHECK ((octet_length(fingerprint) = 16))
);
CREATE INDEX payout_fingerprints_age ON payout_fingerprints USING btree (created_at);
ALTER TABLE payout_fingerprints ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_fingerprints FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_fingerprints FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON payout_fingerprints FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON payout_fingerprints FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_fingerprints TO corridor_auditor;
GRANT SELECT (account_id, created_at) ON payout_fingerprints TO corridor_finder;
GRANT DELETE, INSERT, SELECT ON payout_fingerprints TO corridor_service;

CREATE TABLE payout_metadata (
  part bigint NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  first_id text COLLATE "C" NOT NULL,
  last_id text COLLATE "C" NOT NULL,
  hashes integer[] NOT NULL,
  CONSTRAINT payout_metadata_pkey PRIMARY KEY (account_id, part),
  CONSTRAINT payout_metadata_check CHECK ((first_id <= last_id))
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.05);
ALTER TABLE payout_metadata ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_metadata FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_metadata FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON payout_metadata FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_metadata TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (first_id, hashes, last_id) ON payout_metadata TO corridor_service;

CREATE TABLE payout_imports (
  account_id text COLLATE "C" NOT NULL,
  import_key bytea NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  CONSTRAINT payout_imports_pkey PRIMARY KEY (account_id, import_key),
  CONSTRAINT payout_imports_import_key_check CHECK ((octet_length(import_key) = 32))
);
CREATE INDEX payouts_of_imports ON payout_imports USING btree (account_id, SUBSTRING(import_key FROM 1 FOR 8), payout_id);
ALTER TABLE payout_imports ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_imports FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_imports FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON payout_imports FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_imports TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (payout_id) ON payout_imports TO corridor_service;

CREATE TABLE payout_batches (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  created integer NOT NULL,
  held integer NOT NULL,
  refused integer NOT NULL,
  mode text NOT NULL,
  reference_id text NOT NULL,
  metadata json,
  made_by maker COLLATE "C" NOT NULL,
  totals json NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT payout_batches_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT nothing_refused_of_all CHECK (((mode = 'best_effort'::text) OR (refused = 0))),
  CONSTRAINT payout_batches_created_check CHECK ((created >= 0)),
  CONSTRAINT payout_batches_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT payout_batches_held_check CHECK ((held >= 0)),
  CONSTRAINT payout_batches_mode_check CHECK ((mode = ANY (ARRAY['all_or_nothing'::text, 'best_effort'::text]))),
  CONSTRAINT payout_batches_refused_check CHECK ((refused >= 0))
);
CREATE INDEX payout_batches_by_mode ON payout_batches USING btree (account_id, mode, id);
CREATE INDEX payout_batches_by_reference ON payout_batches USING btree (account_id, reference_id, id) WHERE (reference_id <> ''::text);
CREATE INDEX payout_batches_paying ON payout_batches USING btree (account_id, id) WHERE ((created + held) > 0);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payout_batches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sealed BEFORE INSERT ON payout_batches FOR EACH ROW EXECUTE FUNCTION seal_batch();
ALTER TABLE payout_batches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_batches FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_batches FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON payout_batches FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_batches TO corridor_auditor;
GRANT INSERT, SELECT ON payout_batches TO corridor_service;

CREATE TABLE payout_batch_items (
  account_id text COLLATE "C" NOT NULL,
  batch_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  status text NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  reference_id text NOT NULL,
  problems json NOT NULL,
  CONSTRAINT payout_batch_items_pkey PRIMARY KEY (account_id, batch_id, "position"),
  CONSTRAINT paid_unless_refused CHECK (((status = 'refused'::text) = (payout_id = ''::text))),
  CONSTRAINT payout_batch_items_position_check CHECK (("position" >= 0)),
  CONSTRAINT payout_batch_items_status_check CHECK ((status = ANY (ARRAY['created'::text, 'held'::text, 'refused'::text])))
);
CREATE INDEX payout_batch_items_refused ON payout_batch_items USING btree (account_id, batch_id, "position") WHERE (status = 'refused'::text);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON payout_batch_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE payout_batch_items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_batch_items FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_batch_items FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON payout_batch_items FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_batch_items TO corridor_auditor;
GRANT INSERT, SELECT ON payout_batch_items TO corridor_service;

CREATE TABLE webhook_endpoints (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  url text NOT NULL,
  description text NOT NULL,
  event_types text[] NOT NULL,
  status text NOT NULL,
  disabled_reason text NOT NULL,
  secret text NOT NULL,
  previous_secret text DEFAULT ''::text NOT NULL,
  previous_secret_until timestamp with time zone,
  fanned_out bigint NOT NULL,
  delivery_count bigint DEFAULT 0 NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT disabled_for_a_reason CHECK (((status = 'enabled'::text) = (disabled_reason = ''::text))),
  CONSTRAINT webhook_endpoints_delivery_count_check CHECK ((delivery_count >= 0)),
  CONSTRAINT webhook_endpoints_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY[''::text, 'account'::text, 'gone'::text]))),
  CONSTRAINT webhook_endpoints_event_types_check CHECK ((array_position(event_types, NULL::text) IS NULL)),
  CONSTRAINT webhook_endpoints_fanned_out_check CHECK ((fanned_out >= 0)),
  CONSTRAINT webhook_endpoints_secret_check CHECK ((secret <> ''::text)),
  CONSTRAINT webhook_endpoints_status_check CHECK ((status = ANY (ARRAY['enabled'::text, 'disabled'::text]))),
  CONSTRAINT webhook_endpoints_url_check CHECK ((url <> ''::text))
) WITH (fillfactor=50);
CREATE TRIGGER history AFTER UPDATE OF url, description, event_types, status, disabled_reason, secret, previous_secret, previous_secret_until, created_at, updated_at ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION keep_digest('fanned_out', 'delivery_count');
CREATE TRIGGER history_of_inserts AFTER INSERT OR DELETE ON webhook_endpoints FOR EACH ROW EXECUTE FUNCTION keep_digest('fanned_out', 'delivery_count');
ALTER TABLE webhook_endpoints ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON webhook_endpoints FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON webhook_endpoints FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON webhook_endpoints FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON webhook_endpoints FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON webhook_endpoints TO corridor_auditor;
GRANT SELECT (account_id, fanned_out, id, status) ON webhook_endpoints TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (delivery_count, description, disabled_reason, event_types, fanned_out, previous_secret, previous_secret_until, secret, status, updated_at, url) ON webhook_endpoints TO corridor_service;

CREATE TABLE webhook_deliveries (
  account_id text COLLATE "C" NOT NULL,
  endpoint_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event_sequence bigint NOT NULL,
  event_type text NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  due_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT webhook_delivery_number UNIQUE (account_id, number, endpoint_id),
  CONSTRAINT due_while_pending CHECK (((due_at IS NULL) OR (status = 'pending'::text))),
  CONSTRAINT webhook_deliveries_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT webhook_deliveries_number_check CHECK ((number > 0)),
  CONSTRAINT webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'dead'::text, 'cancelled'::text])))
) WITH (fillfactor=80);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries USING btree (account_id, event_id) WHERE (event_id <> ''::text);
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries USING btree (account_id, endpoint_id, created_at, id) WHERE (status = 'dead'::text);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (account_id, endpoint_id, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries USING btree (account_id, endpoint_id, created_at, id) WHERE (created_at > '-infinity'::timestamp with time zone);
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries USING btree (account_id, endpoint_id, object_id, number) WHERE (status = 'pending'::text);
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON webhook_deliveries FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON webhook_deliveries FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON webhook_deliveries FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON webhook_deliveries FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON webhook_deliveries TO corridor_auditor;
GRANT SELECT (account_id, created_at, due_at, endpoint_id, id) ON webhook_deliveries TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (attempts, due_at, status, updated_at) ON webhook_deliveries TO corridor_service;

CREATE TABLE webhook_attempts (
  account_id text COLLATE "C" NOT NULL,
  delivery_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  created_at timestamp with time zone NOT NULL,
  duration_ms integer NOT NULL,
  status_code integer,
  error text NOT NULL,
  answer text NOT NULL,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (account_id, delivery_id, number),
  CONSTRAINT webhook_attempts_duration_ms_check CHECK ((duration_ms >= 0)),
  CONSTRAINT webhook_attempts_number_check CHECK ((number > 0)),
  CONSTRAINT webhook_attempts_status_code_check CHECK (((status_code >= 100) AND (status_code <= 599)))
);
CREATE TRIGGER erased_only BEFORE UPDATE OF answer ON webhook_attempts FOR EACH ROW WHEN ((new.answer <> ''::text)) EXECUTE FUNCTION guard_words();
ALTER TABLE webhook_attempts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON webhook_attempts FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON webhook_attempts FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON webhook_attempts FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON webhook_attempts TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (answer) ON webhook_attempts TO corridor_service;

CREATE TABLE payout_attempts (
  number integer NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  asked_at timestamp with time zone,
  ended_at timestamp with time zone,
  released_at timestamp with time zone,
  expected_at timestamp with time zone,
  ask_again_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  uetr text NOT NULL,
  ended_as text DEFAULT ''::text NOT NULL,
  not_taken json,
  route json,
  rail_references json DEFAULT '{}'::json NOT NULL,
  CONSTRAINT payout_attempts_pkey PRIMARY KEY (account_id, payout_id, number),
  CONSTRAINT asked_again_once_over CHECK (((ask_again_at IS NULL) OR ((asked_at IS NOT NULL) AND (ended_as = ANY (ARRAY['failed'::text, 'not_taken'::text, 'returned'::text]))))),
  CONSTRAINT ended_when_it_is_over CHECK (((ended_as = ''::text) = (ended_at IS NULL))),
  CONSTRAINT not_taken_for_a_reason CHECK (((ended_as = 'not_taken'::text) = (not_taken IS NOT NULL))),
  CONSTRAINT payout_attempts_ended_as_check CHECK ((ended_as = ANY (ARRAY[''::text, 'paid'::text, 'failed'::text, 'not_taken'::text, 'returned'::text]))),
  CONSTRAINT payout_attempts_number_check CHECK ((number > 0)),
  CONSTRAINT payout_attempts_rail_check CHECK ((rail <> ALL (ARRAY[''::text, 'simulator'::text]))),
  CONSTRAINT payout_attempts_uetr_check CHECK ((uetr ~ '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'::text))
);
CREATE UNIQUE INDEX one_open_attempt ON payout_attempts USING btree (account_id, payout_id) WHERE (ended_as = ANY (ARRAY[''::text, 'paid'::text]));
CREATE INDEX payout_attempts_asked_again ON payout_attempts USING btree (ask_again_at) WHERE (ask_again_at IS NOT NULL);
CREATE UNIQUE INDEX payout_attempts_by_uetr ON payout_attempts USING btree (account_id, uetr);
CREATE TRIGGER counted_when_asked AFTER INSERT ON payout_attempts REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();
CREATE TRIGGER counted_when_it_ends AFTER UPDATE ON payout_attempts REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();
CREATE TRIGGER erased_only BEFORE UPDATE OF not_taken ON payout_attempts FOR EACH ROW WHEN (((old.not_taken IS NOT NULL) AND ((old.not_taken)::text <> (new.not_taken)::text))) EXECUTE FUNCTION guard_erased('{}');
CREATE TRIGGER held_is_not_asked BEFORE INSERT ON payout_attempts FOR EACH ROW WHEN ((new.asked_at IS NOT NULL)) EXECUTE FUNCTION refuse_held_attempt();
CREATE TRIGGER held_is_not_asked_later BEFORE UPDATE OF asked_at ON payout_attempts FOR EACH ROW WHEN (((old.asked_at IS NULL) AND (new.asked_at IS NOT NULL))) EXECUTE FUNCTION refuse_held_attempt();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON payout_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_end BEFORE UPDATE ON payout_attempts FOR EACH ROW WHEN ((((((((old.number IS DISTINCT FROM new.number) OR (old.opened_at IS DISTINCT FROM new.opened_at)) OR (old.account_id IS DISTINCT FROM new.account_id)) OR (old.payout_id IS DISTINCT FROM new.payout_id)) OR (old.rail IS DISTINCT FROM new.rail)) OR (old.uetr IS DISTINCT FROM new.uetr)) OR ((old.asked_at IS NOT NULL) AND (old.asked_at IS DISTINCT FROM new.asked_at)) OR ((old.ended_as <> new.ended_as) AND (old.ended_as <> ''::text) AND ((old.ended_as <> 'paid'::text) OR (new.ended_as <> 'returned'::text))))) EXECUTE FUNCTION refuse_attempt_change();
ALTER TABLE payout_attempts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_attempts FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_attempts FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON payout_attempts FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON payout_attempts FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_attempts TO corridor_auditor;
GRANT SELECT (account_id, ask_again_at, number, payout_id, rail) ON payout_attempts TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (ask_again_at, asked_at, ended_as, ended_at, expected_at, not_taken, rail_references, released_at) ON payout_attempts TO corridor_service;

CREATE TABLE rail_evidence (
  attempt integer NOT NULL,
  number integer NOT NULL,
  received_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  amount bigint,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  source text NOT NULL,
  position text NOT NULL,
  level text NOT NULL,
  code text NOT NULL,
  reasons json NOT NULL,
  message text NOT NULL,
  currency text NOT NULL,
  reference text NOT NULL,
  said_at text NOT NULL,
  detail json NOT NULL,
  same bytea NOT NULL,
  CONSTRAINT rail_evidence_pkey PRIMARY KEY (account_id, payout_id, attempt, number),
  CONSTRAINT evidence_said_once UNIQUE (account_id, payout_id, attempt, same),
  CONSTRAINT of_an_attempt FOREIGN KEY (account_id, payout_id, attempt) REFERENCES payout_attempts(account_id, payout_id, number),
  CONSTRAINT rail_evidence_number_check CHECK ((number > 0)),
  CONSTRAINT rail_evidence_same_check CHECK ((octet_length(same) = 32))
);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON rail_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON rail_evidence FOR EACH ROW EXECUTE FUNCTION guard_erased('{"message":"","detail":{}}');
ALTER TABLE rail_evidence ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON rail_evidence FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON rail_evidence FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON rail_evidence FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON rail_evidence TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (detail, message) ON rail_evidence TO corridor_service;

CREATE TABLE rail_exceptions (
  number integer NOT NULL,
  attempt integer NOT NULL,
  opened_at timestamp with time zone NOT NULL,
  closed_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  notice json,
  closed_by text DEFAULT ''::text NOT NULL,
  note text DEFAULT ''::text NOT NULL,
  CONSTRAINT rail_exceptions_pkey PRIMARY KEY (account_id, payout_id, number),
  CONSTRAINT exception_of_an_attempt FOREIGN KEY (account_id, payout_id, attempt) REFERENCES payout_attempts(account_id, payout_id, number),
  CONSTRAINT closed_by_a_person CHECK ((((closed_at IS NULL) = (closed_by = ''::text)) AND ((closed_at IS NULL) = (note = ''::text)))),
  CONSTRAINT rail_exceptions_check CHECK (((notice IS NULL) OR ((kind = 'change_notified'::text) AND ((notice ->> 'code'::text) IS NOT NULL) AND ((notice ->> 'beneficiary'::text) IS NOT NULL) AND (octet_length((notice)::text) <= 4096)))),
  CONSTRAINT rail_exceptions_kind_check CHECK ((kind ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
  CONSTRAINT rail_exceptions_message_check CHECK ((message <> ''::text)),
  CONSTRAINT rail_exceptions_number_check CHECK ((number > 0))
);
CREATE INDEX rail_exceptions_by_payee ON rail_exceptions USING btree (account_id, ((notice ->> 'beneficiary'::text)), payout_id, number) WHERE (notice IS NOT NULL);
CREATE INDEX rail_exceptions_open ON rail_exceptions USING btree (opened_at) WHERE (closed_at IS NULL);
CREATE TRIGGER closed_once BEFORE UPDATE ON rail_exceptions FOR EACH ROW WHEN (((old.closed_at IS NOT NULL) AND (new.note <> 'erased'::text))) EXECUTE FUNCTION refuse_exception_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON rail_exceptions FOR EACH ROW WHEN (((new.note = 'erased'::text) AND (old.closed_at IS NOT NULL))) EXECUTE FUNCTION guard_erased('{"message":"erased","note":"erased","notice":null}');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON rail_exceptions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER said_once BEFORE UPDATE OF notice ON rail_exceptions FOR EACH ROW WHEN ((((old.notice)::text IS DISTINCT FROM (new.notice)::text) AND (new.note <> 'erased'::text))) EXECUTE FUNCTION refuse_change();
ALTER TABLE rail_exceptions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON rail_exceptions FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON rail_exceptions FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON rail_exceptions FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON rail_exceptions FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON rail_exceptions TO corridor_auditor;
GRANT SELECT (account_id, attempt, closed_at, kind, number, opened_at, payout_id, rail) ON rail_exceptions TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (closed_at, closed_by, message, note, notice) ON rail_exceptions TO corridor_service;

CREATE TABLE database_mark (
  only_row boolean DEFAULT true NOT NULL,
  lineage text DEFAULT replace((gen_random_uuid())::text, '-'::text, ''::text) NOT NULL,
  system text NOT NULL,
  database text NOT NULL,
  timeline text NOT NULL,
  files text NOT NULL,
  noted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT database_mark_pkey PRIMARY KEY (only_row),
  CONSTRAINT database_mark_only_row_check CHECK (only_row)
);
GRANT SELECT ON database_mark TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE ON database_mark TO corridor_service;

CREATE TABLE rail_items (
  amount bigint NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  seal_at timestamp with time zone NOT NULL,
  closes_at timestamp with time zone NOT NULL,
  execution_date date NOT NULL,
  attempt integer NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  end_to_end_id text COLLATE "C" NOT NULL,
  uetr text COLLATE "C" NOT NULL,
  rail text NOT NULL,
  currency text NOT NULL,
  payment json NOT NULL,
  msg_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  payment_information_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  instruction_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  withdrawn boolean DEFAULT false NOT NULL,
  earlier_files text[] COLLATE "C" DEFAULT '{}'::text[] NOT NULL,
  CONSTRAINT rail_items_pkey PRIMARY KEY (account_id, payout_id, attempt),
  CONSTRAINT end_to_end_id_once UNIQUE (end_to_end_id),
  CONSTRAINT rail_items_amount_check CHECK ((amount > 0)),
  CONSTRAINT rail_items_attempt_check CHECK ((attempt > 0)),
  CONSTRAINT rail_items_check CHECK ((closes_at > seal_at)),
  CONSTRAINT rail_items_end_to_end_id_check CHECK ((end_to_end_id ~ '^[0-9A-Z]{15}$'::text)),
  CONSTRAINT rail_items_rail_check CHECK ((rail <> ''::text)),
  CONSTRAINT stands_in_a_file CHECK ((((msg_id = ''::text) = (payment_information_id = ''::text)) AND ((msg_id = ''::text) = (instruction_id = ''::text)))),
  CONSTRAINT withdrawn_before_a_file CHECK (((NOT withdrawn) OR (msg_id = ''::text)))
);
CREATE INDEX rail_items_by_block ON rail_items USING btree (payment_information_id) WHERE (payment_information_id <> ''::text);
CREATE INDEX rail_items_by_file ON rail_items USING btree (msg_id, end_to_end_id) WHERE (msg_id <> ''::text);
CREATE INDEX rail_items_by_instruction ON rail_items USING btree (instruction_id) WHERE (instruction_id <> ''::text);
CREATE INDEX rail_items_by_uetr ON rail_items USING btree (uetr);
CREATE INDEX rail_items_waiting ON rail_items USING btree (rail, seal_at, end_to_end_id) WHERE ((msg_id = ''::text) AND (NOT withdrawn));
CREATE TRIGGER erased_only BEFORE UPDATE ON rail_items FOR EACH ROW WHEN ((((new.payment)::text = '{}'::text) AND ((old.payment)::text <> '{}'::text))) EXECUTE FUNCTION guard_erased('{"payment":{}}');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON rail_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER leaves_a_dead_file BEFORE UPDATE ON rail_items FOR EACH ROW WHEN (((old.msg_id <> ''::text) AND (new.msg_id = ''::text))) EXECUTE FUNCTION check_item_leaves();
CREATE TRIGGER legal_change BEFORE UPDATE ON rail_items FOR EACH ROW WHEN ((((new.payment)::text <> '{}'::text) OR ((old.payment)::text = '{}'::text))) EXECUTE FUNCTION check_item_change();
ALTER TABLE rail_items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON rail_items FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON rail_items FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON rail_items FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON rail_items FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON rail_items TO corridor_auditor;
GRANT SELECT (account_id, amount, attempt, closes_at, created_at, currency, earlier_files, end_to_end_id, execution_date, instruction_id, msg_id, payment_information_id, payout_id, rail, seal_at, uetr, withdrawn) ON rail_items TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (closes_at, earlier_files, execution_date, instruction_id, msg_id, payment, payment_information_id, seal_at, withdrawn) ON rail_items TO corridor_service;

CREATE TABLE rail_files (
  msg_id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  rail text NOT NULL,
  format text NOT NULL,
  settlement_account text NOT NULL,
  currency text NOT NULL,
  execution_date date NOT NULL,
  item_count integer NOT NULL,
  control_sum numeric NOT NULL,
  sha256 bytea NOT NULL,
  bytes bytea NOT NULL,
  envelope bytea,
  sealed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  needs_release boolean NOT NULL,
  resend_is_safe boolean NOT NULL,
  approved_by text DEFAULT ''::text NOT NULL,
  approved_at timestamp with time zone,
  state text DEFAULT 'sealed'::text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  offered_at timestamp with time zone,
  offers integer DEFAULT 0 NOT NULL,
  forced boolean DEFAULT false NOT NULL,
  sent_at timestamp with time zone,
  uploads integer DEFAULT 0 NOT NULL,
  updated_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT rail_files_pkey PRIMARY KEY (msg_id),
  CONSTRAINT offered_before_it_is_sent CHECK (((offered_at IS NOT NULL) OR (state = ANY (ARRAY['sealed'::text, 'approved'::text, 'uploading'::text, 'withdrawn'::text])))),
  CONSTRAINT offers_are_counted CHECK (((offered_at IS NULL) OR (offers > 0))),
  CONSTRAINT rail_files_control_sum_check CHECK ((control_sum > (0)::numeric)),
  CONSTRAINT rail_files_item_count_check CHECK ((item_count > 0)),
  CONSTRAINT rail_files_msg_id_check CHECK ((msg_id ~ '^[0-9A-Z]{16}$'::text)),
  CONSTRAINT rail_files_rail_check CHECK ((rail <> ''::text)),
  CONSTRAINT rail_files_state_check CHECK ((state = ANY (ARRAY['sealed'::text, 'approved'::text, 'uploading'::text, 'sent'::text, 'acknowledged'::text, 'rejected'::text, 'unknown'::text, 'withdrawn'::text]))),
  CONSTRAINT released_at CHECK (((approved_by = ''::text) = (approved_at IS NULL))),
  CONSTRAINT released_by_a_person CHECK (((NOT needs_release) OR (state = ANY (ARRAY['sealed'::text, 'withdrawn'::text])) OR (approved_by <> ''::text))),
  CONSTRAINT sent_once_said CHECK (((state <> 'sent'::text) OR (sent_at IS NOT NULL))),
  CONSTRAINT sha256_of_the_bytes CHECK (((sha256 = sha256(bytes)) OR (bytes = '\x'::bytea))),
  CONSTRAINT withdrawn_before_it_is_offered CHECK (((state <> 'withdrawn'::text) OR (offers = 0)))
);
CREATE INDEX rail_files_open ON rail_files USING btree (rail, sealed_at) WHERE (state <> ALL (ARRAY['acknowledged'::text, 'rejected'::text, 'withdrawn'::text]));
CREATE TRIGGER audited AFTER UPDATE ON rail_files FOR EACH ROW WHEN (((current_setting('corridor.act'::text, true) <> ''::text) OR (CURRENT_USER <> 'corridor_service'::name))) EXECUTE FUNCTION keep_file_act('($1).msg_id as id', '($1).rail', '($1).state', '($1).reason', '($1).approved_by', '($1).forced');
CREATE TRIGGER erased_only BEFORE UPDATE ON rail_files FOR EACH ROW WHEN ((octet_length(old.bytes) <> octet_length(new.bytes))) EXECUTE FUNCTION guard_file_bytes();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON rail_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_step BEFORE UPDATE ON rail_files FOR EACH ROW WHEN ((octet_length(old.bytes) = octet_length(new.bytes))) EXECUTE FUNCTION check_file_step();
CREATE TRIGGER sealed_first BEFORE INSERT ON rail_files FOR EACH ROW WHEN (((new.state <> 'sealed'::text) OR (new.approved_by <> ''::text) OR (new.offered_at IS NOT NULL))) EXECUTE FUNCTION refuse_change();
GRANT SELECT ON rail_files TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (approved_at, approved_by, forced, offered_at, offers, reason, sent_at, state, updated_at, uploads) ON rail_files TO corridor_service;

CREATE TABLE rail_item_evidence (
  amount bigint,
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  received_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  attempt integer NOT NULL,
  is_credit boolean,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  level text NOT NULL,
  code text NOT NULL,
  reasons json NOT NULL,
  text text NOT NULL,
  currency text NOT NULL,
  reference text NOT NULL,
  said_at text NOT NULL,
  sha256 bytea NOT NULL,
  position text NOT NULL,
  same bytea NOT NULL,
  CONSTRAINT rail_item_evidence_pkey PRIMARY KEY (account_id, payout_id, attempt, number),
  CONSTRAINT said_once UNIQUE (account_id, payout_id, attempt, same),
  CONSTRAINT rail_item_evidence_same_check CHECK ((octet_length(same) = 32))
);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON rail_item_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON rail_item_evidence FOR EACH ROW EXECUTE FUNCTION guard_erased('{"text":""}');
ALTER TABLE rail_item_evidence ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON rail_item_evidence FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON rail_item_evidence FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON rail_item_evidence FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON rail_item_evidence TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (text) ON rail_item_evidence TO corridor_service;

CREATE TABLE rail_exchanges (
  rail text NOT NULL,
  held_by text DEFAULT ''::text NOT NULL,
  held_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  fetched_at timestamp with time zone,
  problem text DEFAULT ''::text NOT NULL,
  problem_since timestamp with time zone,
  offers_lost integer DEFAULT 0 NOT NULL,
  restored boolean DEFAULT false NOT NULL,
  CONSTRAINT rail_exchanges_pkey PRIMARY KEY (rail),
  CONSTRAINT rail_exchanges_check CHECK (((problem = ''::text) = (problem_since IS NULL))),
  CONSTRAINT rail_exchanges_offers_lost_check CHECK ((offers_lost >= 0)),
  CONSTRAINT rail_exchanges_rail_check CHECK ((rail <> ''::text))
);
CREATE TRIGGER copy_stops_wallets AFTER INSERT OR UPDATE OF restored ON rail_exchanges FOR EACH ROW WHEN (new.restored) EXECUTE FUNCTION stop_wallets();
GRANT SELECT ON rail_exchanges TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE ON rail_exchanges TO corridor_service;

CREATE TABLE rail_inbox (
  sha256 bytea NOT NULL,
  rail text NOT NULL,
  name text NOT NULL,
  size bigint NOT NULL,
  received_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  state text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  kept boolean NOT NULL,
  swept_at timestamp with time zone,
  lines integer DEFAULT 0 NOT NULL,
  lines_quarantined integer DEFAULT 0 NOT NULL,
  ended_at timestamp with time zone,
  closed_by text DEFAULT ''::text NOT NULL,
  closed_at timestamp with time zone,
  note text DEFAULT ''::text NOT NULL,
  CONSTRAINT rail_inbox_pkey PRIMARY KEY (sha256),
  CONSTRAINT closed_when_quarantined CHECK ((((closed_by = ''::text) = (closed_at IS NULL)) AND ((closed_by = ''::text) OR (state = 'quarantined'::text)))),
  CONSTRAINT quarantined_with_a_reason CHECK (((state = 'quarantined'::text) = (reason <> ''::text))),
  CONSTRAINT rail_inbox_sha256_check CHECK ((octet_length(sha256) = 32)),
  CONSTRAINT rail_inbox_size_check CHECK ((size >= 0)),
  CONSTRAINT rail_inbox_state_check CHECK ((state = ANY (ARRAY['stored'::text, 'read'::text, 'quarantined'::text]))),
  CONSTRAINT swept_when_over CHECK (((swept_at IS NULL) OR ((NOT kept) AND ((state = 'read'::text) OR (closed_by <> ''::text)))))
);
CREATE INDEX rail_inbox_kept ON rail_inbox USING btree (received_at) WHERE kept;
CREATE INDEX rail_inbox_open ON rail_inbox USING btree (received_at) WHERE (state = 'stored'::text);
CREATE INDEX rail_inbox_quarantined ON rail_inbox USING btree (received_at) WHERE ((state = 'quarantined'::text) AND (closed_by = ''::text));
CREATE TRIGGER audited AFTER UPDATE ON rail_inbox FOR EACH ROW WHEN (((current_setting('corridor.act'::text, true) <> ''::text) OR (CURRENT_USER <> 'corridor_service'::name))) EXECUTE FUNCTION keep_file_act('encode(($1).sha256, ''hex'') as id', '($1).rail', '($1).name', '($1).state', '($1).reason', '($1).closed_by', '($1).note');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON rail_inbox FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_step BEFORE UPDATE ON rail_inbox FOR EACH ROW EXECUTE FUNCTION check_inbox_step();
CREATE TRIGGER swept_when_old BEFORE UPDATE ON rail_inbox FOR EACH ROW WHEN (((new.swept_at IS NOT NULL) AND (old.swept_at IS NULL))) EXECUTE FUNCTION guard_sweep();
GRANT SELECT ON rail_inbox TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (closed_at, closed_by, ended_at, lines, lines_quarantined, note, reason, state) ON rail_inbox TO corridor_service;

CREATE TABLE rail_inbox_bytes (
  sha256 bytea NOT NULL,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  CONSTRAINT rail_inbox_bytes_pkey PRIMARY KEY (sha256, number),
  CONSTRAINT rail_inbox_bytes_bytes_check CHECK (((octet_length(bytes) >= 1) AND (octet_length(bytes) <= 1048576)))
);
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON rail_inbox_bytes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER swept_first BEFORE DELETE ON rail_inbox_bytes FOR EACH ROW EXECUTE FUNCTION guard_swept_bytes();
GRANT SELECT ON rail_inbox_bytes TO corridor_auditor;
GRANT INSERT, SELECT ON rail_inbox_bytes TO corridor_service;

CREATE TABLE rail_inbox_lines (
  sha256 bytea NOT NULL,
  position text NOT NULL,
  reason text NOT NULL,
  said json NOT NULL,
  end_to_end_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  msg_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  payment text COLLATE "C" DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  closed_by text DEFAULT ''::text NOT NULL,
  closed_at timestamp with time zone,
  note text DEFAULT ''::text NOT NULL,
  CONSTRAINT rail_inbox_lines_pkey PRIMARY KEY (sha256, "position"),
  CONSTRAINT rail_inbox_lines_check CHECK (((closed_by = ''::text) = (closed_at IS NULL))),
  CONSTRAINT rail_inbox_lines_reason_check CHECK ((reason <> ''::text))
);
CREATE INDEX rail_inbox_lines_about ON rail_inbox_lines USING btree (payment) WHERE (payment <> ''::text);
CREATE INDEX rail_inbox_lines_of_files ON rail_inbox_lines USING btree (msg_id) WHERE ((closed_by = ''::text) AND (msg_id <> ''::text));
CREATE INDEX rail_inbox_lines_of_payments ON rail_inbox_lines USING btree (end_to_end_id) WHERE ((closed_by = ''::text) AND (end_to_end_id <> ''::text));
CREATE INDEX rail_inbox_lines_open ON rail_inbox_lines USING btree (sha256) WHERE (closed_by = ''::text);
CREATE TRIGGER audited AFTER UPDATE ON rail_inbox_lines FOR EACH ROW WHEN (((current_setting('corridor.act'::text, true) <> ''::text) OR (CURRENT_USER <> 'corridor_service'::name))) EXECUTE FUNCTION keep_file_act('encode(($1).sha256, ''hex'') as id', '($1).position', '($1).reason', '($1).closed_by', '($1).note');
CREATE TRIGGER erased_only BEFORE UPDATE OF said, reason ON rail_inbox_lines FOR EACH ROW WHEN ((((new.said)::text <> '{}'::text) OR (new.reason <> 'erased'::text))) EXECUTE FUNCTION guard_words();
GRANT SELECT ON rail_inbox_lines TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (closed_at, closed_by, note, reason, said) ON rail_inbox_lines TO corridor_service;

CREATE TABLE screening_imports (
  list text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  sha256 bytea NOT NULL,
  file_name text NOT NULL,
  format text NOT NULL,
  published_on date NOT NULL,
  is_sample boolean NOT NULL,
  entry_count integer NOT NULL,
  name_count integer NOT NULL,
  added integer NOT NULL,
  changed integer NOT NULL,
  removed integer NOT NULL,
  left_out_count integer NOT NULL,
  left_out text[] NOT NULL,
  reason text NOT NULL,
  imported_by text NOT NULL,
  imported_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT screening_imports_pkey PRIMARY KEY (list, version),
  CONSTRAINT screening_imports_added_check CHECK ((added >= 0)),
  CONSTRAINT screening_imports_changed_check CHECK ((changed >= 0)),
  CONSTRAINT screening_imports_check CHECK ((name_count >= entry_count)),
  CONSTRAINT screening_imports_check1 CHECK (((cardinality(left_out) = LEAST(left_out_count, 50)) AND (octet_length(array_to_string(left_out, ''::text)) <= 16384))),
  CONSTRAINT screening_imports_entry_count_check CHECK ((entry_count > 0)),
  CONSTRAINT screening_imports_imported_by_check CHECK ((imported_by <> ''::text)),
  CONSTRAINT screening_imports_left_out_count_check CHECK ((left_out_count >= 0)),
  CONSTRAINT screening_imports_list_check CHECK ((list = ANY (ARRAY['ofac'::text, 'ofac-cons'::text, 'un'::text, 'eu'::text, 'uk'::text]))),
  CONSTRAINT screening_imports_removed_check CHECK ((removed >= 0)),
  CONSTRAINT screening_imports_sha256_check CHECK ((octet_length(sha256) = 32)),
  CONSTRAINT screening_imports_version_check CHECK ((version > 0))
);
CREATE TRIGGER announced AFTER INSERT ON screening_imports FOR EACH STATEMENT EXECUTE FUNCTION announce_list_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON screening_imports FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER follows BEFORE INSERT ON screening_imports FOR EACH ROW EXECUTE FUNCTION check_import();
GRANT SELECT ON screening_imports TO corridor_auditor;
GRANT INSERT, SELECT ON screening_imports TO corridor_service;

CREATE TABLE screening_entries (
  list text COLLATE "C" NOT NULL,
  entry_id text COLLATE "C" NOT NULL,
  since_version integer NOT NULL,
  until_version integer,
  digest bytea NOT NULL,
  content json NOT NULL,
  CONSTRAINT screening_entries_pkey PRIMARY KEY (list, entry_id, since_version),
  CONSTRAINT screening_entries_list_since_version_fkey FOREIGN KEY (list, since_version) REFERENCES screening_imports(list, version),
  CONSTRAINT digest_of_the_content CHECK ((digest = sha256(convert_to((content)::text, 'UTF8'::name)))),
  CONSTRAINT ends_after_it_began CHECK ((until_version > since_version)),
  CONSTRAINT screening_entries_entry_id_check CHECK ((entry_id <> ''::text))
);
CREATE UNIQUE INDEX listed_once ON screening_entries USING btree (list, entry_id) WHERE (until_version IS NULL);
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON screening_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_end BEFORE UPDATE ON screening_entries FOR EACH ROW EXECUTE FUNCTION check_entry_end();
GRANT SELECT ON screening_entries TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (until_version) ON screening_entries TO corridor_service;

CREATE TABLE screening_settings (
  only_row boolean DEFAULT true NOT NULL,
  required text[] NOT NULL,
  set_by text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT screening_settings_pkey PRIMARY KEY (only_row),
  CONSTRAINT screening_settings_only_row_check CHECK (only_row),
  CONSTRAINT screening_settings_required_check CHECK (((required <@ ARRAY['ofac'::text, 'ofac-cons'::text, 'un'::text, 'eu'::text, 'uk'::text]) AND (array_position(required, NULL::text) IS NULL))),
  CONSTRAINT set_by_a_person CHECK ((((set_by = ''::text) = (reason = ''::text)) AND ((set_by <> ''::text) OR (required @> ARRAY['ofac'::text, 'ofac-cons'::text, 'un'::text, 'eu'::text, 'uk'::text]))))
);
CREATE TRIGGER announced AFTER UPDATE ON screening_settings FOR EACH STATEMENT EXECUTE FUNCTION announce_list_change();
CREATE TRIGGER history AFTER INSERT OR UPDATE ON screening_settings FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON screening_settings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON screening_settings TO corridor_auditor;
GRANT SELECT, UPDATE (reason, required, set_by) ON screening_settings TO corridor_service;

CREATE TABLE screening_matches (
  score integer NOT NULL,
  found_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  decided_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  party text COLLATE "C" NOT NULL,
  party_hash bytea NOT NULL,
  list text COLLATE "C" NOT NULL,
  entry_id text COLLATE "C" NOT NULL,
  entry_digest bytea NOT NULL,
  pieces json NOT NULL,
  listed_name text NOT NULL,
  state text DEFAULT 'open'::text NOT NULL,
  decided_by text DEFAULT ''::text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  CONSTRAINT screening_matches_pkey PRIMARY KEY (account_id, object_id, party, list, entry_id),
  CONSTRAINT decided_by_a_person CHECK ((((state = 'open'::text) = (decided_by = ''::text)) AND ((state = 'open'::text) = (reason = ''::text)) AND ((state = 'open'::text) = (decided_at IS NULL)))),
  CONSTRAINT screening_matches_entry_digest_check CHECK ((octet_length(entry_digest) = 32)),
  CONSTRAINT screening_matches_party_check CHECK ((party <> ''::text)),
  CONSTRAINT screening_matches_party_hash_check CHECK ((octet_length(party_hash) = 32)),
  CONSTRAINT screening_matches_score_check CHECK (((score >= 1) AND (score <= 1000))),
  CONSTRAINT screening_matches_state_check CHECK ((state = ANY (ARRAY['open'::text, 'cleared'::text, 'confirmed'::text])))
);
CREATE INDEX screening_matches_party ON screening_matches USING btree (account_id, party_hash);
CREATE TRIGGER erased_only BEFORE UPDATE ON screening_matches FOR EACH ROW WHEN (((decode(repeat('00'::text, 32), 'hex'::text) = new.party_hash) OR (decode(repeat('00'::text, 32), 'hex'::text) = old.party_hash))) EXECUTE FUNCTION guard_erased('{"pieces":[],"listed_name":"","reason":"erased","party_hash":
    "\\x0000000000000000000000000000000000000000000000000000000000000000"}');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON screening_matches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE screening_matches ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON screening_matches FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON screening_matches FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON screening_matches FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON screening_matches TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (decided_at, decided_by, entry_digest, found_at, listed_name, party_hash, pieces, reason, score, state) ON screening_matches TO corridor_service;

CREATE TABLE screening_clears (
  cleared_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  party_hash bytea NOT NULL,
  list text COLLATE "C" NOT NULL,
  entry_id text COLLATE "C" NOT NULL,
  entry_digest bytea NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  cleared_by text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT screening_clears_pkey PRIMARY KEY (account_id, party_hash, list, entry_id, entry_digest),
  CONSTRAINT screening_clears_cleared_by_check CHECK ((cleared_by <> ''::text)),
  CONSTRAINT screening_clears_entry_digest_check CHECK ((octet_length(entry_digest) = 32)),
  CONSTRAINT screening_clears_party_hash_check CHECK ((octet_length(party_hash) = 32)),
  CONSTRAINT screening_clears_reason_check CHECK ((reason <> ''::text))
);
CREATE TRIGGER kept BEFORE TRUNCATE ON screening_clears FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE screening_clears ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON screening_clears FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON screening_clears FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON screening_clears FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON screening_clears TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON screening_clears TO corridor_service;

CREATE TABLE screening_queue (
  account_id text COLLATE "C" NOT NULL,
  party_id text COLLATE "C" NOT NULL,
  due_at timestamp with time zone NOT NULL,
  CONSTRAINT screening_queue_pkey PRIMARY KEY (account_id, party_id)
);
CREATE INDEX screening_queue_due ON screening_queue USING btree (due_at);
ALTER TABLE screening_queue ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON screening_queue FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON screening_queue FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON screening_queue FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON screening_queue FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON screening_queue TO corridor_auditor;
GRANT SELECT ON screening_queue TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (due_at) ON screening_queue TO corridor_service;

CREATE TABLE screening_pass (
  only_row boolean DEFAULT true NOT NULL,
  lists_version bigint DEFAULT 0 NOT NULL,
  after_account text COLLATE "C" DEFAULT ''::text NOT NULL,
  after_party text COLLATE "C" DEFAULT ''::text NOT NULL,
  is_done boolean DEFAULT false NOT NULL,
  due_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  CONSTRAINT screening_pass_pkey PRIMARY KEY (only_row),
  CONSTRAINT screening_pass_only_row_check CHECK (only_row)
);
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON screening_pass FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON screening_pass TO corridor_auditor;
GRANT SELECT, UPDATE (after_account, after_party, due_at, is_done, lists_version) ON screening_pass TO corridor_service;

CREATE TABLE limits (
  limit_id text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  key_id text COLLATE "C",
  rail text,
  network text,
  new_for_hours integer,
  each text NOT NULL,
  currency text,
  cap bigint NOT NULL,
  per text NOT NULL,
  zone text,
  hours integer,
  CONSTRAINT limits_pkey PRIMARY KEY (limit_id),
  CONSTRAINT one_limit_of_its_kind UNIQUE NULLS NOT DISTINCT (account_id, key_id, rail, network, new_for_hours, each, currency, per, zone, hours),
  CONSTRAINT limits_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT limits_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id),
  CONSTRAINT amount_of_a_payout CHECK (((per <> 'payout'::text) OR (currency IS NOT NULL))),
  CONSTRAINT day_of_a_zone CHECK (((per = 'day'::text) = (zone IS NOT NULL))),
  CONSTRAINT hours_of_hours CHECK (((per = 'hours'::text) = (hours IS NOT NULL))),
  CONSTRAINT key_of_an_account CHECK (((key_id IS NULL) OR ((account_id IS NOT NULL) AND (each <> 'key'::text)))),
  CONSTRAINT limits_cap_check CHECK (((cap >= 0) AND (cap <= '9007199254740991'::bigint))),
  CONSTRAINT limits_each_check CHECK ((each = ANY (ARRAY['account'::text, 'key'::text, 'payee'::text]))),
  CONSTRAINT limits_hours_check CHECK (((hours >= 1) AND (hours <= 744))),
  CONSTRAINT limits_limit_id_check CHECK ((limit_id ~ '^lim_[0-9a-z]{20}$'::text)),
  CONSTRAINT limits_network_check CHECK ((network <> ''::text)),
  CONSTRAINT limits_new_for_hours_check CHECK (((new_for_hours >= 1) AND (new_for_hours <= 8760))),
  CONSTRAINT limits_per_check CHECK ((per = ANY (ARRAY['payout'::text, 'day'::text, 'hours'::text])))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON limits FOR EACH STATEMENT EXECUTE FUNCTION announce_price_change();
CREATE TRIGGER counts_something BEFORE INSERT ON limits FOR EACH ROW EXECUTE FUNCTION check_limit();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON limits FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER only_its_cap BEFORE UPDATE ON limits FOR EACH ROW WHEN (((to_jsonb(old.*) - 'cap'::text) <> (to_jsonb(new.*) - 'cap'::text))) EXECUTE FUNCTION refuse_other_limit();
GRANT SELECT ON limits TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (cap) ON limits TO corridor_service;

CREATE TABLE limit_sums (
  used bigint NOT NULL,
  reached bigint,
  cap bigint,
  starts_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  limit_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  CONSTRAINT limit_sums_pkey PRIMARY KEY (account_id, limit_id, subject, starts_at),
  CONSTRAINT limit_sums_used_check CHECK ((used >= 0)),
  CONSTRAINT part_of_the_window CHECK ((used <= reached)),
  CONSTRAINT reached_under_a_cap CHECK (((reached IS NULL) = (cap IS NULL))),
  CONSTRAINT within_its_cap CHECK ((reached <= cap))
);
CREATE INDEX limit_sums_age ON limit_sums USING btree (starts_at);
ALTER TABLE limit_sums ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON limit_sums FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON limit_sums FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON limit_sums FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON limit_sums FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON limit_sums TO corridor_auditor;
GRANT SELECT (account_id, starts_at) ON limit_sums TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (cap, reached, used) ON limit_sums TO corridor_service;

CREATE TABLE limit_uses (
  amount bigint NOT NULL,
  starts_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  limit_id text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  CONSTRAINT limit_uses_pkey PRIMARY KEY (account_id, payout_id, limit_id),
  CONSTRAINT limit_uses_amount_check CHECK ((amount > 0))
);
CREATE INDEX limit_uses_age ON limit_uses USING btree (starts_at);
ALTER TABLE limit_uses ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON limit_uses FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON limit_uses FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON limit_uses FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON limit_uses FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON limit_uses TO corridor_auditor;
GRANT SELECT (account_id, starts_at) ON limit_uses TO corridor_finder;
GRANT DELETE, INSERT, SELECT ON limit_uses TO corridor_service;

CREATE TABLE limit_payees (
  known_since timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  payee text COLLATE "C" NOT NULL,
  CONSTRAINT limit_payees_pkey PRIMARY KEY (account_id, payee)
);
ALTER TABLE limit_payees ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON limit_payees FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON limit_payees FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON limit_payees FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON limit_payees TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (known_since) ON limit_payees TO corridor_service;

CREATE TABLE account_roles (
  user_name text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  CONSTRAINT account_roles_pkey PRIMARY KEY (user_name, account_id, role),
  CONSTRAINT account_roles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT account_roles_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT account_roles_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'maker'::text, 'approver'::text, 'owner'::text])))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE OR UPDATE ON account_roles FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON account_roles FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keep_giver AFTER INSERT ON account_roles FOR EACH ROW EXECUTE FUNCTION keep_giver('role');
CREATE TRIGGER rights_by_another BEFORE INSERT OR DELETE OR UPDATE ON account_roles FOR EACH ROW EXECUTE FUNCTION refuse_own_rights();
GRANT SELECT ON account_roles TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON account_roles TO corridor_service;

CREATE TABLE user_keys (
  key_id text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  name text DEFAULT ''::text NOT NULL,
  made_by text COLLATE "C" DEFAULT ''::text NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  revoked_at timestamp with time zone,
  CONSTRAINT user_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT user_keys_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT user_keys_key_id_check CHECK ((key_id ~ '^usk_[0-9a-z]{20}$'::text)),
  CONSTRAINT user_keys_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE TRIGGER announce AFTER INSERT OR UPDATE ON user_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_reference_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON user_keys FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keep_giver AFTER INSERT ON user_keys FOR EACH ROW EXECUTE FUNCTION keep_giver('key');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON user_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER made_by BEFORE INSERT ON user_keys FOR EACH ROW EXECUTE FUNCTION name_maker();
CREATE TRIGGER revoked_once BEFORE UPDATE ON user_keys FOR EACH ROW WHEN (((old.revoked_at IS NOT NULL) OR ((to_jsonb(old.*) - 'revoked_at'::text) <> (to_jsonb(new.*) - 'revoked_at'::text)))) EXECUTE FUNCTION refuse_change();
GRANT SELECT ON user_keys TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (revoked_at) ON user_keys TO corridor_service;

CREATE TABLE user_passwords (
  user_name text COLLATE "C" NOT NULL,
  secret_hash text NOT NULL,
  set_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT user_passwords_pkey PRIMARY KEY (user_name),
  CONSTRAINT user_passwords_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT user_passwords_secret_hash_check CHECK ((secret_hash ~~ '$argon2id$%'::text))
);
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON user_passwords FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keep_giver AFTER INSERT OR UPDATE OF secret_hash ON user_passwords FOR EACH ROW EXECUTE FUNCTION keep_giver('password');
GRANT SELECT (set_at, user_name) ON user_passwords TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (secret_hash, set_at) ON user_passwords TO corridor_service;

CREATE TABLE second_factors (
  user_name text COLLATE "C" NOT NULL,
  secret text NOT NULL,
  made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  enrolled_at timestamp with time zone,
  last_step bigint DEFAULT 0 NOT NULL,
  CONSTRAINT second_factors_pkey PRIMARY KEY (user_name),
  CONSTRAINT second_factors_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT second_factors_last_step_check CHECK ((last_step >= 0)),
  CONSTRAINT second_factors_secret_check CHECK ((secret ~ '^[A-Z2-7]{32}$'::text))
);
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON second_factors FOR EACH ROW EXECUTE FUNCTION keep_history('last_step');
CREATE TRIGGER stays BEFORE UPDATE ON second_factors FOR EACH ROW EXECUTE FUNCTION check_factor();
GRANT SELECT (enrolled_at, last_step, made_at, user_name) ON second_factors TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (enrolled_at, last_step, made_at, secret) ON second_factors TO corridor_service;

CREATE TABLE recovery_codes (
  secret_hash bytea NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  used_at timestamp with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (secret_hash),
  CONSTRAINT recovery_codes_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT recovery_codes_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE INDEX recovery_codes_of_user ON recovery_codes USING btree (user_name);
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON recovery_codes FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER used_once BEFORE UPDATE ON recovery_codes FOR EACH ROW WHEN (((old.used_at IS NOT NULL) OR ((to_jsonb(old.*) - 'used_at'::text) <> (to_jsonb(new.*) - 'used_at'::text)))) EXECUTE FUNCTION refuse_change();
GRANT SELECT ON recovery_codes TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (used_at) ON recovery_codes TO corridor_service;

CREATE TABLE second_factor_rules (
  scope text COLLATE "C" NOT NULL,
  required_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT second_factor_rules_pkey PRIMARY KEY (scope)
);
CREATE TRIGGER history AFTER INSERT OR DELETE ON second_factor_rules FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER of_somebody BEFORE INSERT ON second_factor_rules FOR EACH ROW EXECUTE FUNCTION check_factor_rule();
CREATE TRIGGER stays BEFORE UPDATE OR TRUNCATE ON second_factor_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON second_factor_rules TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON second_factor_rules TO corridor_service;

CREATE TABLE login_links (
  secret_hash bytea NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT login_links_pkey PRIMARY KEY (secret_hash),
  CONSTRAINT login_links_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT login_links_check CHECK ((expires_at > created_at)),
  CONSTRAINT login_links_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE INDEX login_links_open ON login_links USING btree (user_name) WHERE (ended_at IS NULL);
CREATE TRIGGER history AFTER INSERT OR UPDATE ON login_links FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keep_giver AFTER INSERT ON login_links FOR EACH ROW EXECUTE FUNCTION keep_giver('login_link');
CREATE TRIGGER over_for_good BEFORE UPDATE ON login_links FOR EACH ROW EXECUTE FUNCTION check_over();
CREATE TRIGGER rights_by_another BEFORE INSERT ON login_links FOR EACH ROW EXECUTE FUNCTION refuse_own_rights();
GRANT SELECT ON login_links TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (ended_at) ON login_links TO corridor_service;

CREATE TABLE user_identities (
  issuer text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT user_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT user_identities_user_name_key UNIQUE (user_name),
  CONSTRAINT user_identities_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT user_identities_issuer_check CHECK (((length(issuer) >= 1) AND (length(issuer) <= 1000))),
  CONSTRAINT user_identities_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255)))
);
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON user_identities FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR UPDATE OR TRUNCATE ON user_identities FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON user_identities TO corridor_auditor;
GRANT INSERT, SELECT ON user_identities TO corridor_service;

CREATE TABLE invitations (
  invitation_id text COLLATE "C" NOT NULL,
  secret_hash bytea NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  email text DEFAULT ''::text NOT NULL,
  roles text[] NOT NULL,
  invited_by text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  accepted_by text COLLATE "C",
  CONSTRAINT invitations_pkey PRIMARY KEY (invitation_id),
  CONSTRAINT invitations_secret_hash_key UNIQUE (secret_hash),
  CONSTRAINT invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES users(name),
  CONSTRAINT invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(name),
  CONSTRAINT accepted_is_ended CHECK (((accepted_by IS NULL) OR (ended_at IS NOT NULL))),
  CONSTRAINT invitations_check CHECK ((expires_at > created_at)),
  CONSTRAINT invitations_email_check CHECK (((email = ''::text) OR ((length(email) <= 320) AND (email ~ '^[^@[:space:]]{1,64}@[^@[:space:]]+$'::text)))),
  CONSTRAINT invitations_invitation_id_check CHECK ((invitation_id ~ '^inv_[0-9a-z]{20}$'::text)),
  CONSTRAINT invitations_roles_check CHECK (((cardinality(roles) >= 1) AND (cardinality(roles) <= 4))),
  CONSTRAINT invitations_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE INDEX invitations_of_account ON invitations USING btree (account_id, invitation_id);
CREATE TRIGGER by_owner BEFORE INSERT OR UPDATE ON invitations FOR EACH ROW EXECUTE FUNCTION check_invitation();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON invitations FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON invitations FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON invitations TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (accepted_by, ended_at) ON invitations TO corridor_service;

CREATE TABLE sessions (
  secret_hash bytea NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  last_seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  confirmed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  factor_at timestamp with time zone,
  by_provider boolean DEFAULT false NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT sessions_pkey PRIMARY KEY (secret_hash),
  CONSTRAINT sessions_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT sessions_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE INDEX sessions_open ON sessions USING btree (user_name) WHERE (ended_at IS NULL);
CREATE TRIGGER history AFTER INSERT OR UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION keep_history('last_seen_at');
CREATE TRIGGER over_for_good BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION check_over();
GRANT SELECT ON sessions TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (confirmed_at, ended_at, last_seen_at) ON sessions TO corridor_service;

CREATE TABLE known_devices (
  secret_hash bytea NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  last_login_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT known_devices_pkey PRIMARY KEY (secret_hash),
  CONSTRAINT known_devices_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT known_devices_secret_hash_check CHECK ((octet_length(secret_hash) = 32))
);
CREATE INDEX known_devices_of_user ON known_devices USING btree (user_name, last_login_at);
CREATE TRIGGER few_devices AFTER INSERT ON known_devices FOR EACH ROW EXECUTE FUNCTION forget_devices();
GRANT SELECT ON known_devices TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE (last_login_at) ON known_devices TO corridor_service;

CREATE TABLE means_given (
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  means text NOT NULL,
  given_by text COLLATE "C" NOT NULL,
  given_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT means_given_pkey PRIMARY KEY (number),
  CONSTRAINT means_given_user_name_fkey FOREIGN KEY (user_name) REFERENCES users(name),
  CONSTRAINT means_given_check CHECK ((given_by <> user_name)),
  CONSTRAINT means_given_means_check CHECK ((means = ANY (ARRAY['role'::text, 'login_link'::text, 'password'::text, 'key'::text])))
);
CREATE INDEX means_given_to ON means_given USING btree (user_name, given_at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON means_given FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER history AFTER INSERT OR DELETE OR UPDATE ON means_given FOR EACH ROW EXECUTE FUNCTION keep_history();
GRANT SELECT ON means_given TO corridor_auditor;
GRANT SELECT ON means_given TO corridor_service;

CREATE TABLE login_attempts (
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  attempted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  network text COLLATE "C" NOT NULL,
  device bytea,
  means text DEFAULT 'password'::text NOT NULL,
  refused boolean DEFAULT false NOT NULL,
  CONSTRAINT login_attempts_pkey PRIMARY KEY (number),
  CONSTRAINT login_attempts_device_check CHECK ((octet_length(device) = 32)),
  CONSTRAINT login_attempts_means_check CHECK ((means = ANY (ARRAY['password'::text, 'code'::text])))
);
CREATE INDEX login_attempts_by_user ON login_attempts USING btree (user_name, attempted_at);
GRANT SELECT ON login_attempts TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON login_attempts TO corridor_service;

CREATE TABLE upkeep_runs (
  number bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  finished_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  well boolean NOT NULL,
  told text DEFAULT ''::text NOT NULL,
  CONSTRAINT upkeep_runs_pkey PRIMARY KEY (number),
  CONSTRAINT upkeep_runs_kind_check CHECK ((kind = ANY (ARRAY['verify'::text, 'backup'::text]))),
  CONSTRAINT upkeep_runs_told_check CHECK ((length(told) <= 2000))
);
CREATE INDEX upkeep_runs_last ON upkeep_runs USING btree (kind, number);
CREATE TRIGGER kept BEFORE DELETE OR UPDATE OR TRUNCATE ON upkeep_runs FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON upkeep_runs TO corridor_auditor;
GRANT INSERT, SELECT ON upkeep_runs TO corridor_service;

CREATE TABLE notifications (
  kind text NOT NULL,
  way text NOT NULL,
  told_until timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  due_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  failing_since timestamp with time zone,
  last_error text DEFAULT ''::text NOT NULL,
  CONSTRAINT notifications_pkey PRIMARY KEY (kind, way),
  CONSTRAINT failing_while_not_sent CHECK (((failures > 0) = (failing_since IS NOT NULL))),
  CONSTRAINT notifications_failures_check CHECK ((failures >= 0)),
  CONSTRAINT notifications_kind_check CHECK ((kind = ANY (ARRAY['approval'::text, 'hold'::text, 'failure'::text, 'low_balance'::text, 'endpoint'::text, 'stale_rate'::text, 'fault'::text]))),
  CONSTRAINT notifications_last_error_check CHECK ((length(last_error) <= 200)),
  CONSTRAINT notifications_way_check CHECK ((way = ANY (ARRAY['email'::text, 'webhook'::text])))
);
GRANT SELECT ON notifications TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (due_at, failing_since, failures, last_error, told_until) ON notifications TO corridor_service;

CREATE TABLE approval_rules (
  rule_id text COLLATE "C" NOT NULL,
  subject text DEFAULT 'payout'::text NOT NULL,
  account_id text COLLATE "C",
  key_id text COLLATE "C",
  payout_type text,
  network text,
  country text,
  currency text,
  new_payee boolean NOT NULL,
  at_least bigint,
  at_least_currency text,
  approvers integer NOT NULL,
  expires_after_days integer NOT NULL,
  CONSTRAINT approval_rules_pkey PRIMARY KEY (rule_id),
  CONSTRAINT approval_rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT approval_rules_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(key_id),
  CONSTRAINT amount_in_a_currency CHECK (((at_least IS NULL) = (at_least_currency IS NULL))),
  CONSTRAINT approval_rules_approvers_check CHECK (((approvers >= 1) AND (approvers <= 9))),
  CONSTRAINT approval_rules_at_least_check CHECK (((at_least >= 1) AND (at_least <= '9007199254740991'::bigint))),
  CONSTRAINT approval_rules_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
  CONSTRAINT approval_rules_currency_check CHECK ((currency <> ''::text)),
  CONSTRAINT approval_rules_expires_after_days_check CHECK (((expires_after_days >= 1) AND (expires_after_days <= 365))),
  CONSTRAINT approval_rules_network_check CHECK ((network <> ''::text)),
  CONSTRAINT approval_rules_payout_type_check CHECK ((payout_type <> ''::text)),
  CONSTRAINT approval_rules_rule_id_check CHECK ((rule_id ~ '^apr_[0-9a-z]{20}$'::text)),
  CONSTRAINT approval_rules_subject_check CHECK ((subject = ANY (ARRAY['payout'::text, 'beneficiary'::text]))),
  CONSTRAINT beneficiaries_by_what_they_have CHECK (((subject = 'payout'::text) OR ((num_nonnulls(payout_type, network, currency, at_least) = 0) AND (NOT new_payee)))),
  CONSTRAINT key_with_its_account CHECK (((key_id IS NULL) OR (account_id IS NOT NULL)))
);
CREATE TRIGGER announce AFTER INSERT OR DELETE ON approval_rules FOR EACH STATEMENT EXECUTE FUNCTION announce_price_change();
CREATE TRIGGER asks_for_something BEFORE INSERT ON approval_rules FOR EACH ROW EXECUTE FUNCTION check_approval_rule();
CREATE TRIGGER history AFTER INSERT OR DELETE ON approval_rules FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER stays BEFORE UPDATE OR TRUNCATE ON approval_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON approval_rules TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON approval_rules TO corridor_service;

CREATE TABLE payout_approvals (
  approvers integer NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  payee text NOT NULL,
  made_by text COLLATE "C" NOT NULL,
  key_id text NOT NULL,
  rules text[] NOT NULL,
  outcome text DEFAULT ''::text NOT NULL,
  CONSTRAINT payout_approvals_pkey PRIMARY KEY (account_id, payout_id),
  CONSTRAINT ended_with_an_outcome CHECK (((outcome = ''::text) = (ended_at IS NULL))),
  CONSTRAINT expires_later CHECK ((expires_at > requested_at)),
  CONSTRAINT payout_approvals_approvers_check CHECK (((approvers >= 1) AND (approvers <= 9))),
  CONSTRAINT payout_approvals_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT payout_approvals_outcome_check CHECK ((outcome = ANY (ARRAY[''::text, 'approved'::text, 'rejected'::text, 'expired'::text, 'cancelled'::text, 'failed'::text])))
);
CREATE INDEX payout_approvals_expiring ON payout_approvals USING btree (expires_at) WHERE (outcome = ''::text);
CREATE TRIGGER ends_once BEFORE UPDATE ON payout_approvals FOR EACH ROW WHEN (((new.payee <> ''::text) OR (old.payee = ''::text))) EXECUTE FUNCTION check_ends_once();
CREATE TRIGGER enough_approvers BEFORE UPDATE ON payout_approvals FOR EACH ROW WHEN (((new.payee <> ''::text) OR (old.payee = ''::text))) EXECUTE FUNCTION check_approval_end();
CREATE TRIGGER erased_only BEFORE UPDATE ON payout_approvals FOR EACH ROW WHEN (((new.payee = ''::text) AND (old.payee <> ''::text))) EXECUTE FUNCTION guard_erased('{"payee":""}');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON payout_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER of_a_waiting_payout BEFORE INSERT ON payout_approvals FOR EACH ROW EXECUTE FUNCTION check_new_approval();
ALTER TABLE payout_approvals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON payout_approvals FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON payout_approvals FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON payout_approvals FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON payout_approvals FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON payout_approvals TO corridor_auditor;
GRANT SELECT (account_id, expires_at, outcome, payout_id) ON payout_approvals TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (ended_at, outcome, payee) ON payout_approvals TO corridor_service;

CREATE TABLE approval_decisions (
  decided_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  decision text NOT NULL,
  digest bytea NOT NULL,
  reason text NOT NULL,
  CONSTRAINT decided_once PRIMARY KEY (account_id, payout_id, user_name),
  CONSTRAINT approval_decisions_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
  CONSTRAINT approval_decisions_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT approval_decisions_user_name_check CHECK ((user_name <> ''::text))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON approval_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER by_an_approver BEFORE INSERT ON approval_decisions FOR EACH ROW EXECUTE FUNCTION check_decision();
ALTER TABLE approval_decisions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON approval_decisions FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON approval_decisions FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON approval_decisions FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON approval_decisions TO corridor_auditor;
GRANT INSERT, SELECT ON approval_decisions TO corridor_service;

CREATE TABLE approved_payees (
  approved_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  payee text COLLATE "C" NOT NULL,
  payout_id text COLLATE "C" NOT NULL,
  CONSTRAINT approved_payees_pkey PRIMARY KEY (account_id, payee)
);
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON approved_payees FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE DELETE ON approved_payees FOR EACH ROW EXECUTE FUNCTION guard_payee();
ALTER TABLE approved_payees ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON approved_payees FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON approved_payees FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON approved_payees FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON approved_payees TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON approved_payees TO corridor_service;

CREATE TABLE beneficiary_approvals (
  approvers integer NOT NULL,
  requested_at timestamp with time zone NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ended_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  beneficiary_id text COLLATE "C" NOT NULL,
  digest bytea NOT NULL,
  made_by text[] NOT NULL,
  key_id text NOT NULL,
  rules text[] NOT NULL,
  outcome text DEFAULT ''::text NOT NULL,
  CONSTRAINT beneficiary_approvals_pkey PRIMARY KEY (account_id, beneficiary_id, digest),
  CONSTRAINT beneficiary_approvals_approvers_check CHECK (((approvers >= 1) AND (approvers <= 9))),
  CONSTRAINT beneficiary_approvals_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT beneficiary_approvals_outcome_check CHECK ((outcome = ANY (ARRAY[''::text, 'approved'::text, 'rejected'::text]))),
  CONSTRAINT ended_with_an_outcome CHECK (((outcome = ''::text) = (ended_at IS NULL))),
  CONSTRAINT expires_later CHECK ((expires_at > requested_at))
);
CREATE TRIGGER ends_once BEFORE UPDATE ON beneficiary_approvals FOR EACH ROW EXECUTE FUNCTION check_ends_once();
CREATE TRIGGER enough_approvers BEFORE UPDATE ON beneficiary_approvals FOR EACH ROW EXECUTE FUNCTION check_beneficiary_approval_end();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON beneficiary_approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER of_a_waiting_beneficiary BEFORE INSERT ON beneficiary_approvals FOR EACH ROW EXECUTE FUNCTION check_new_beneficiary_approval();
ALTER TABLE beneficiary_approvals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON beneficiary_approvals FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON beneficiary_approvals FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON beneficiary_approvals FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON beneficiary_approvals TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (ended_at, outcome) ON beneficiary_approvals TO corridor_service;

CREATE TABLE beneficiary_decisions (
  decided_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  beneficiary_id text COLLATE "C" NOT NULL,
  user_name text COLLATE "C" NOT NULL,
  decision text NOT NULL,
  digest bytea NOT NULL,
  reason text NOT NULL,
  CONSTRAINT decided_once_as_it_is PRIMARY KEY (account_id, beneficiary_id, digest, user_name),
  CONSTRAINT beneficiary_decisions_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'reject'::text]))),
  CONSTRAINT beneficiary_decisions_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT beneficiary_decisions_user_name_check CHECK ((user_name <> ''::text))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON beneficiary_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER by_an_approver BEFORE INSERT ON beneficiary_decisions FOR EACH ROW EXECUTE FUNCTION check_beneficiary_decision();
ALTER TABLE beneficiary_decisions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON beneficiary_decisions FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON beneficiary_decisions FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON beneficiary_decisions FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON beneficiary_decisions TO corridor_auditor;
GRANT INSERT, SELECT ON beneficiary_decisions TO corridor_service;

CREATE TABLE privacy_settings (
  only_row boolean DEFAULT true NOT NULL,
  retention_years integer NOT NULL,
  event_days integer,
  inbox_days integer,
  set_by text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT privacy_settings_pkey PRIMARY KEY (only_row),
  CONSTRAINT inbox_as_long_as_payments CHECK ((inbox_days >= (retention_years * 366))),
  CONSTRAINT privacy_settings_event_days_check CHECK (((event_days >= 90) AND (event_days <= 36500))),
  CONSTRAINT privacy_settings_inbox_days_check CHECK ((inbox_days <= 36500)),
  CONSTRAINT privacy_settings_only_row_check CHECK (only_row),
  CONSTRAINT privacy_settings_retention_years_check CHECK (((retention_years >= 0) AND (retention_years <= 30))),
  CONSTRAINT set_by_a_person CHECK ((((set_by = ''::text) = (reason = ''::text)) AND ((set_by <> ''::text) OR ((retention_years >= 5) AND (event_days IS NULL) AND (inbox_days IS NULL)))))
);
CREATE TRIGGER history AFTER INSERT OR UPDATE ON privacy_settings FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON privacy_settings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON privacy_settings TO corridor_auditor;
GRANT SELECT, UPDATE (event_days, inbox_days, reason, retention_years, set_by) ON privacy_settings TO corridor_service;

CREATE TABLE erasures (
  erased_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  party_id text COLLATE "C" NOT NULL,
  table_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  was bytea,
  becomes bytea,
  erased_by text NOT NULL,
  reason text NOT NULL,
  CONSTRAINT erasures_pkey PRIMARY KEY (account_id, table_name, key, party_id),
  CONSTRAINT digests_of_erasures CHECK ((((was IS NULL) = (becomes IS NULL)) AND (COALESCE(octet_length(was), 32) = 32) AND (COALESCE(octet_length(becomes), 32) = 32))),
  CONSTRAINT erasures_erased_by_check CHECK ((erased_by <> ''::text)),
  CONSTRAINT erasures_party_id_check CHECK ((party_id ~ '^(bnf|ent)_'::text)),
  CONSTRAINT erasures_reason_check CHECK ((reason <> ''::text))
);
CREATE INDEX erasures_by_party ON erasures USING btree (account_id, party_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON erasures FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE erasures ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON erasures FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON erasures FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON erasures FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON erasures TO corridor_auditor;
GRANT INSERT, SELECT ON erasures TO corridor_service;

CREATE TABLE event_cuts (
  account_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  hash bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  removed integer NOT NULL,
  seals bytea NOT NULL,
  file bytea NOT NULL,
  removed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  removed_by text NOT NULL,
  CONSTRAINT event_cuts_pkey PRIMARY KEY (account_id, sequence),
  CONSTRAINT event_cuts_file_check CHECK ((octet_length(file) = 32)),
  CONSTRAINT event_cuts_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT event_cuts_removed_by_check CHECK ((removed_by <> ''::text)),
  CONSTRAINT event_cuts_removed_check CHECK ((removed > 0)),
  CONSTRAINT event_cuts_seals_check CHECK ((octet_length(seals) = 32)),
  CONSTRAINT event_cuts_sequence_check CHECK ((sequence > 0))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON event_cuts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cut_after_all BEFORE INSERT ON event_cuts FOR EACH ROW EXECUTE FUNCTION check_cut();
ALTER TABLE event_cuts ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON event_cuts FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON event_cuts FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON event_cuts FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON event_cuts TO corridor_auditor;
GRANT INSERT, SELECT ON event_cuts TO corridor_service;

CREATE TABLE archived_seals (
  account_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  cut bigint NOT NULL,
  object_id text COLLATE "C" NOT NULL,
  content bytea NOT NULL,
  CONSTRAINT archived_seals_pkey PRIMARY KEY (account_id, cut, object_id),
  CONSTRAINT archived_seals_check CHECK ((cut >= number)),
  CONSTRAINT archived_seals_content_check CHECK ((octet_length(content) = 32))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON archived_seals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE archived_seals ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON archived_seals FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON archived_seals FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON archived_seals FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON archived_seals TO corridor_auditor;
GRANT INSERT, SELECT ON archived_seals TO corridor_service;

CREATE TABLE request_log (
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  request_id text NOT NULL,
  key_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  outcome text NOT NULL,
  status integer,
  duration_us integer NOT NULL,
  reason text NOT NULL,
  remarks text NOT NULL,
  CONSTRAINT request_log_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT request_log_duration_us_check CHECK ((duration_us >= 0)),
  CONSTRAINT request_log_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'refused'::text, 'failed'::text, 'abandoned'::text]))),
  CONSTRAINT request_log_path_check CHECK ((length(path) <= 500)),
  CONSTRAINT request_log_remarks_check CHECK ((length(remarks) <= 200)),
  CONSTRAINT request_log_request_id_check CHECK (((length(request_id) >= 1) AND (length(request_id) <= 128))),
  CONSTRAINT request_log_status_check CHECK (((status >= 100) AND (status <= 599))),
  CONSTRAINT status_unless_abandoned CHECK (((status IS NULL) = (outcome = 'abandoned'::text)))
);
CREATE TRIGGER sandboxes_alone BEFORE INSERT ON request_log FOR EACH ROW EXECUTE FUNCTION refuse_live_log();
ALTER TABLE request_log ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON request_log FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON request_log FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON request_log FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON request_log TO corridor_auditor;
GRANT DELETE, INSERT, SELECT ON request_log TO corridor_service;

CREATE TABLE verify_turn (
  only_row boolean DEFAULT true NOT NULL,
  due_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  CONSTRAINT verify_turn_pkey PRIMARY KEY (only_row),
  CONSTRAINT verify_turn_only_row_check CHECK (only_row)
);
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON verify_turn FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON verify_turn TO corridor_auditor;
GRANT SELECT, UPDATE (due_at) ON verify_turn TO corridor_service;

CREATE TABLE book_proofs (
  number bigint DEFAULT 0 NOT NULL,
  journal_at timestamp with time zone,
  began_at timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  account_id text COLLATE "C" NOT NULL,
  walk text NOT NULL,
  hash digest NOT NULL,
  balances jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT book_proofs_pkey PRIMARY KEY (account_id, walk),
  CONSTRAINT book_proofs_number_check CHECK ((number >= 0)),
  CONSTRAINT book_proofs_walk_check CHECK ((walk = ANY (ARRAY['new'::text, 'again'::text])))
);
ALTER TABLE book_proofs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON book_proofs FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON book_proofs FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON book_proofs FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON book_proofs FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON book_proofs TO corridor_auditor;
GRANT SELECT ON book_proofs TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (balances, began_at, ended_at, hash, journal_at, number) ON book_proofs TO corridor_service;

CREATE TABLE verify_faults (
  found_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  table_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  mark digest NOT NULL,
  CONSTRAINT verify_faults_pkey PRIMARY KEY (account_id, table_name, key),
  CONSTRAINT verify_faults_key_check CHECK ((length(key) <= 300)),
  CONSTRAINT verify_faults_table_name_check CHECK ((length(table_name) <= 100))
);
ALTER TABLE verify_faults ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON verify_faults FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON verify_faults FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON verify_faults FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON verify_faults FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON verify_faults TO corridor_auditor;
GRANT SELECT (account_id, found_at) ON verify_faults TO corridor_finder;
GRANT DELETE, INSERT, SELECT, UPDATE (found_at, mark, seen_at) ON verify_faults TO corridor_service;

CREATE TABLE nostros (
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  currency text NOT NULL,
  institution text DEFAULT ''::text NOT NULL,
  account text COLLATE "C" DEFAULT ''::text NOT NULL,
  bic text COLLATE "C" DEFAULT ''::text NOT NULL,
  purpose text NOT NULL,
  pool text DEFAULT 'none'::text NOT NULL,
  rails text[] COLLATE "C" DEFAULT '{}'::text[] NOT NULL,
  opening_balance bigint NOT NULL,
  opening_on date NOT NULL,
  closed_at timestamp with time zone,
  settings jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT nostros_pkey PRIMARY KEY (name),
  CONSTRAINT nostros_account_check CHECK ((length(account) <= 64)),
  CONSTRAINT nostros_bic_check CHECK ((length(bic) <= 11)),
  CONSTRAINT nostros_institution_check CHECK ((length(institution) <= 200)),
  CONSTRAINT nostros_kind_check CHECK ((kind = ANY (ARRAY['bank'::text, 'provider'::text, 'chain'::text, 'cash'::text]))),
  CONSTRAINT nostros_name_check CHECK ((name ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
  CONSTRAINT nostros_pool_check CHECK ((pool = ANY (ARRAY['payments'::text, 'emoney'::text, 'none'::text]))),
  CONSTRAINT nostros_purpose_check CHECK ((purpose = ANY (ARRAY['client'::text, 'own'::text]))),
  CONSTRAINT nostros_rails_check CHECK ((cardinality(rails) <= 50)),
  CONSTRAINT nostros_settings_check CHECK (((jsonb_typeof(settings) = 'object'::text) AND (octet_length((settings)::text) <= 16384))),
  CONSTRAINT own_money_is_in_no_pool CHECK (((purpose = 'client'::text) OR (pool = 'none'::text))),
  CONSTRAINT rails_named_once CHECK (are_distinct(rails))
);
CREATE UNIQUE INDEX nostros_by_account ON nostros USING btree (account, currency) WHERE ((account <> ''::text) AND (closed_at IS NULL));
CREATE TRIGGER gate_is_added AFTER INSERT ON nostros FOR EACH ROW WHEN ((new.settings @> '{"gate": true}'::jsonb)) EXECUTE FUNCTION begin_gate();
CREATE TRIGGER gate_is_changed AFTER UPDATE ON nostros FOR EACH ROW WHEN ((((old.settings @> '{"gate": true}'::jsonb) OR (new.settings @> '{"gate": true}'::jsonb)) AND ((((old.settings @> '{"gate": true}'::jsonb) IS DISTINCT FROM (new.settings @> '{"gate": true}'::jsonb)) OR (old.rails IS DISTINCT FROM new.rails)) OR (old.closed_at IS DISTINCT FROM new.closed_at)))) EXECUTE FUNCTION begin_gate();
CREATE TRIGGER gate_of_one_nostro AFTER INSERT OR UPDATE ON nostros FOR EACH ROW WHEN ((new.closed_at IS NULL)) EXECUTE FUNCTION refuse_shared_gate();
CREATE TRIGGER history AFTER INSERT OR UPDATE ON nostros FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON nostros FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER nostro_keeps BEFORE UPDATE ON nostros FOR EACH ROW WHEN ((((((((old.name IS DISTINCT FROM new.name) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.purpose IS DISTINCT FROM new.purpose)) OR (old.opening_balance IS DISTINCT FROM new.opening_balance)) OR (old.opening_on IS DISTINCT FROM new.opening_on)) OR (old.closed_at IS NOT NULL))) EXECUTE FUNCTION refuse_nostro_change();
GRANT SELECT ON nostros TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (account, bic, closed_at, institution, pool, rails, settings) ON nostros TO corridor_service;

CREATE TABLE account_cursors (
  account_id text COLLATE "C" NOT NULL,
  number not_negative NOT NULL,
  CONSTRAINT account_cursors_pkey PRIMARY KEY (account_id)
);
CREATE TRIGGER cursor_rises BEFORE UPDATE ON account_cursors FOR EACH ROW WHEN ((((new.number)::bigint < (old.number)::bigint) OR (new.account_id <> old.account_id))) EXECUTE FUNCTION refuse_cursor_back();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON account_cursors FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE account_cursors ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON account_cursors FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON account_cursors FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY find ON account_cursors FOR SELECT TO corridor_finder USING (true);
CREATE POLICY maintenance ON account_cursors FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON account_cursors TO corridor_auditor;
GRANT SELECT ON account_cursors TO corridor_finder;
GRANT INSERT, SELECT, UPDATE (number) ON account_cursors TO corridor_service;

CREATE TABLE account_days (
  day date NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  code text NOT NULL,
  amount numeric NOT NULL,
  postings bigint NOT NULL,
  number bigint NOT NULL,
  CONSTRAINT account_days_pkey PRIMARY KEY (account_id, day, currency, code),
  CONSTRAINT account_days_postings_check CHECK ((postings > 0))
);
CREATE INDEX account_days_by_day ON account_days USING btree (day, currency, code) INCLUDE (amount);
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON account_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE account_days ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON account_days FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON account_days FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON account_days FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON account_days TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (amount, number, postings) ON account_days TO corridor_service;

CREATE TABLE house_journals (
  number bigint NOT NULL,
  created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  value_on date NOT NULL,
  kind text NOT NULL,
  codes text NOT NULL,
  currencies text NOT NULL,
  nostros text COLLATE "C" NOT NULL,
  amounts bigint[] NOT NULL,
  undoes bigint,
  reference text DEFAULT ''::text NOT NULL,
  note text DEFAULT ''::text NOT NULL,
  by text NOT NULL,
  hash digest NOT NULL,
  CONSTRAINT house_journals_pkey PRIMARY KEY (number),
  CONSTRAINT house_journals_undoes_key UNIQUE (undoes),
  CONSTRAINT house_journals_undoes_fkey FOREIGN KEY (undoes) REFERENCES house_journals(number),
  CONSTRAINT house_journals_by_check CHECK ((by <> ''::text)),
  CONSTRAINT house_journals_kind_check CHECK ((kind = ANY (ARRAY['cost'::text, 'interest'::text, 'transfer'::text, 'deal'::text, 'own_funds'::text, 'topup'::text, 'write_off'::text, 'correction'::text, 'return'::text]))),
  CONSTRAINT house_journals_note_check CHECK ((length(note) <= 500)),
  CONSTRAINT house_journals_number_check CHECK ((number > 0)),
  CONSTRAINT house_journals_reference_check CHECK ((length(reference) <= 200)),
  CONSTRAINT house_sums_to_zero CHECK (house_journal_is_sound(codes, currencies, nostros, amounts)),
  CONSTRAINT known_codes CHECK ((string_to_array(codes, ' '::text) <@ ARRAY['bank'::text, 'costs'::text, 'interest'::text, 'own_funds'::text, 'fx'::text, 'write_offs'::text, 'returns'::text]))
);
CREATE UNIQUE INDEX return_once ON house_journals USING btree (reference) WHERE ((kind = 'return'::text) AND (reference <> ''::text) AND (undoes IS NULL));
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON house_journals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chained BEFORE INSERT ON house_journals FOR EACH ROW EXECUTE FUNCTION chain_house_journal();
CREATE TRIGGER history AFTER INSERT ON house_journals FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER items AFTER INSERT ON house_journals FOR EACH ROW EXECUTE FUNCTION make_house_items();
CREATE TRIGGER month_is_open BEFORE INSERT ON house_journals FOR EACH ROW EXECUTE FUNCTION refuse_closed_month();
GRANT SELECT ON house_journals TO corridor_auditor;
GRANT INSERT, SELECT ON house_journals TO corridor_service;

CREATE TABLE nostro_items (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  amount bigint NOT NULL,
  booked_at timestamp with time zone NOT NULL,
  number bigint,
  house_number bigint,
  match bigint,
  value_on date NOT NULL,
  attempt integer,
  nostro text COLLATE "C" DEFAULT ''::text NOT NULL,
  currency text NOT NULL,
  kind text NOT NULL,
  account_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  payout_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  rail text COLLATE "C" DEFAULT ''::text NOT NULL,
  key text COLLATE "C" DEFAULT ''::text NOT NULL,
  uetr text COLLATE "C" DEFAULT ''::text NOT NULL,
  instruction text COLLATE "C" DEFAULT ''::text NOT NULL,
  block text COLLATE "C" DEFAULT ''::text NOT NULL,
  file text COLLATE "C" DEFAULT ''::text NOT NULL,
  CONSTRAINT nostro_items_pkey PRIMARY KEY (id),
  CONSTRAINT nostro_items_house_number_fkey FOREIGN KEY (house_number) REFERENCES house_journals(number),
  CONSTRAINT of_a_match FOREIGN KEY (match) REFERENCES matches(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT item_of_a_journal CHECK ((((number IS NULL) <> (house_number IS NULL)) AND ((account_id <> ''::text) = (number IS NOT NULL)) AND ((kind = 'house'::text) = (house_number IS NOT NULL)))),
  CONSTRAINT nostro_items_amount_check CHECK ((amount <> 0)),
  CONSTRAINT nostro_items_kind_check CHECK ((kind = ANY (ARRAY['payout'::text, 'payout_return'::text, 'funding'::text, 'withdrawal'::text, 'funding_reversal'::text, 'withdrawal_reversal'::text, 'house'::text])))
);
CREATE INDEX nostro_items_by_match ON nostro_items USING btree (match) WHERE (match IS NOT NULL);
CREATE INDEX nostro_items_by_time ON nostro_items USING btree (nostro, booked_at);
CREATE UNIQUE INDEX one_item_a_journal ON nostro_items USING btree (account_id, number) WHERE (number IS NOT NULL);
CREATE UNIQUE INDEX one_item_a_nostro ON nostro_items USING btree (house_number, nostro) WHERE (house_number IS NOT NULL);
CREATE INDEX open_items_by_amount ON nostro_items USING btree (nostro, amount, value_on) WHERE (match IS NULL);
CREATE INDEX open_items_by_block ON nostro_items USING btree (block, nostro) WHERE ((match IS NULL) AND (block <> ''::text));
CREATE INDEX open_items_by_day ON nostro_items USING btree (nostro, value_on, id) INCLUDE (amount) WHERE (match IS NULL);
CREATE INDEX open_items_by_file ON nostro_items USING btree (file, nostro) WHERE ((match IS NULL) AND (file <> ''::text));
CREATE INDEX open_items_by_instruction ON nostro_items USING btree (instruction, nostro) WHERE ((match IS NULL) AND (instruction <> ''::text));
CREATE INDEX open_items_by_key ON nostro_items USING btree (key, nostro) WHERE ((match IS NULL) AND (key <> ''::text));
CREATE INDEX open_items_by_uetr ON nostro_items USING btree (uetr, nostro) WHERE ((match IS NULL) AND (uetr <> ''::text));
CREATE TRIGGER counted AFTER INSERT ON nostro_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_to_total('book');
CREATE TRIGGER counted_by_day AFTER INSERT ON nostro_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_open_days();
CREATE TRIGGER counted_until_derived AFTER INSERT ON nostro_items REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_derived();
CREATE TRIGGER item_stays BEFORE UPDATE ON nostro_items FOR EACH ROW WHEN ((((((((((((((((((old.amount IS DISTINCT FROM new.amount) OR (old.booked_at IS DISTINCT FROM new.booked_at)) OR (old.number IS DISTINCT FROM new.number)) OR (old.house_number IS DISTINCT FROM new.house_number)) OR (old.value_on IS DISTINCT FROM new.value_on)) OR (old.attempt IS DISTINCT FROM new.attempt)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.account_id IS DISTINCT FROM new.account_id)) OR (old.payout_id IS DISTINCT FROM new.payout_id)) OR (old.rail IS DISTINCT FROM new.rail)) OR (old.key IS DISTINCT FROM new.key)) OR (old.uetr IS DISTINCT FROM new.uetr)) OR (old.instruction IS DISTINCT FROM new.instruction)) OR (old.block IS DISTINCT FROM new.block)) OR (old.file IS DISTINCT FROM new.file)) OR ((new.nostro <> old.nostro) AND ((old.nostro <> ''::text) OR (old.match IS NOT NULL))))) EXECUTE FUNCTION refuse_item_change();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON nostro_items FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER matched AFTER UPDATE ON nostro_items REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION move_matched_totals('matched_items');
CREATE TRIGGER member_of_one_match AFTER UPDATE ON nostro_items REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION check_members();
CREATE TRIGGER moved AFTER UPDATE ON nostro_items REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION move_item_totals();
CREATE TRIGGER moved_by_day AFTER UPDATE ON nostro_items REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION move_open_days();
ALTER TABLE nostro_items ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON nostro_items FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON nostro_items FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON nostro_items FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
CREATE POLICY of_the_house ON nostro_items FOR ALL TO corridor_service USING ((( SELECT current_setting('corridor.house'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON nostro_items TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (match, nostro) ON nostro_items TO corridor_service;

CREATE TABLE nostro_totals (
  nostro text COLLATE "C" NOT NULL,
  side text NOT NULL,
  currency text NOT NULL,
  count bigint NOT NULL,
  amount numeric NOT NULL,
  CONSTRAINT nostro_totals_pkey PRIMARY KEY (nostro, side, currency),
  CONSTRAINT nostro_totals_side_check CHECK ((side = ANY (ARRAY['bank'::text, 'book'::text, 'matched_lines'::text, 'matched_items'::text])))
);
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON nostro_totals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON nostro_totals TO corridor_auditor;
GRANT SELECT ON nostro_totals TO corridor_service;

CREATE TABLE statement_files (
  sha256 digest NOT NULL,
  received_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  size bigint NOT NULL,
  name text NOT NULL,
  rail text DEFAULT ''::text NOT NULL,
  by text DEFAULT ''::text NOT NULL,
  state text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  account text COLLATE "C" DEFAULT ''::text NOT NULL,
  CONSTRAINT statement_files_pkey PRIMARY KEY (sha256),
  CONSTRAINT left_with_a_reason CHECK (((state = 'read'::text) = (reason = ''::text))),
  CONSTRAINT statement_files_account_check CHECK ((length(account) <= 64)),
  CONSTRAINT statement_files_name_check CHECK ((length(name) <= 300)),
  CONSTRAINT statement_files_reason_check CHECK ((length(reason) <= 1000)),
  CONSTRAINT statement_files_size_check CHECK ((size >= 0)),
  CONSTRAINT statement_files_state_check CHECK ((state = ANY (ARRAY['read'::text, 'refused'::text, 'other'::text])))
);
CREATE INDEX statement_files_of_accounts ON statement_files USING btree (account) WHERE ((state = 'other'::text) AND (account <> ''::text));
CREATE TRIGGER file_stays BEFORE UPDATE ON statement_files FOR EACH ROW WHEN (((old.state = 'read'::text) OR (((old.sha256)::bytea IS DISTINCT FROM (new.sha256)::bytea) OR (old.size IS DISTINCT FROM new.size)))) EXECUTE FUNCTION refuse_statement_file_change();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON statement_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON statement_files TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (account, by, name, rail, reason, received_at, state) ON statement_files TO corridor_service;

CREATE TABLE bank_statements (
  id bigint NOT NULL,
  sha256 digest NOT NULL,
  nostro text COLLATE "C" NOT NULL,
  format text NOT NULL,
  statement_id text COLLATE "C" NOT NULL,
  sequence text COLLATE "C" DEFAULT ''::text NOT NULL,
  opened_on date NOT NULL,
  closed_on date NOT NULL,
  opening bigint,
  closing bigint,
  lines integer NOT NULL,
  amount bigint NOT NULL,
  held integer DEFAULT 0 NOT NULL,
  state text NOT NULL,
  CONSTRAINT bank_statements_pkey PRIMARY KEY (id),
  CONSTRAINT statement_once UNIQUE (nostro, closed_on, statement_id),
  CONSTRAINT bank_statements_nostro_fkey FOREIGN KEY (nostro) REFERENCES nostros(name),
  CONSTRAINT bank_statements_sha256_fkey FOREIGN KEY (sha256) REFERENCES statement_files(sha256),
  CONSTRAINT bank_statements_check CHECK ((closed_on >= opened_on)),
  CONSTRAINT bank_statements_check1 CHECK (((held >= 0) AND (held <= lines))),
  CONSTRAINT bank_statements_format_check CHECK ((format = ANY (ARRAY['camt.053'::text, 'mt940'::text, 'bai2'::text, 'csv'::text, 'chain'::text]))),
  CONSTRAINT bank_statements_lines_check CHECK ((lines >= 0)),
  CONSTRAINT bank_statements_sequence_check CHECK ((length(sequence) <= 40)),
  CONSTRAINT bank_statements_state_check CHECK ((state = ANY (ARRAY['proved'::text, 'gap'::text, 'overlap'::text, 'sum_differs'::text]))),
  CONSTRAINT bank_statements_statement_id_check CHECK ((length(statement_id) <= 100)),
  CONSTRAINT sums_to_its_closing CHECK (((state <> 'proved'::text) OR COALESCE(((opening + amount) = closing), false)))
);
CREATE INDEX bank_statements_by_day ON bank_statements USING btree (nostro, closed_on, id);
CREATE TRIGGER bank_said_so BEFORE UPDATE ON bank_statements FOR EACH ROW WHEN ((((((((((((((old.id IS DISTINCT FROM new.id) OR ((old.sha256)::bytea IS DISTINCT FROM (new.sha256)::bytea)) OR (old.nostro IS DISTINCT FROM new.nostro)) OR (old.format IS DISTINCT FROM new.format)) OR (old.statement_id IS DISTINCT FROM new.statement_id)) OR (old.sequence IS DISTINCT FROM new.sequence)) OR (old.opened_on IS DISTINCT FROM new.opened_on)) OR (old.closed_on IS DISTINCT FROM new.closed_on)) OR (old.opening IS DISTINCT FROM new.opening)) OR (old.closing IS DISTINCT FROM new.closing)) OR (old.lines IS DISTINCT FROM new.lines)) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.held IS DISTINCT FROM new.held))) EXECUTE FUNCTION refuse_bank_change();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON bank_statements FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON bank_statements TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (state) ON bank_statements TO corridor_service;

CREATE TABLE bank_lines (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  amount bigint NOT NULL,
  statement bigint NOT NULL,
  position integer NOT NULL,
  match bigint,
  booked_on date NOT NULL,
  value_on date NOT NULL,
  occurrence integer NOT NULL,
  same digest NOT NULL,
  nostro text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  code text COLLATE "C" DEFAULT ''::text NOT NULL,
  end_to_end_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  uetr text COLLATE "C" DEFAULT ''::text NOT NULL,
  instruction text COLLATE "C" DEFAULT ''::text NOT NULL,
  block text COLLATE "C" DEFAULT ''::text NOT NULL,
  file text COLLATE "C" DEFAULT ''::text NOT NULL,
  bank_reference text COLLATE "C" DEFAULT ''::text NOT NULL,
  own_account text COLLATE "C" DEFAULT ''::text NOT NULL,
  counterparty text COLLATE "C" DEFAULT ''::text NOT NULL,
  counterparty_name text DEFAULT ''::text NOT NULL,
  text text DEFAULT ''::text NOT NULL,
  details jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT bank_lines_pkey PRIMARY KEY (id),
  CONSTRAINT line_of_a_place UNIQUE (statement, "position"),
  CONSTRAINT line_once UNIQUE (nostro, same, occurrence),
  CONSTRAINT bank_lines_nostro_fkey FOREIGN KEY (nostro) REFERENCES nostros(name),
  CONSTRAINT bank_lines_statement_fkey FOREIGN KEY (statement) REFERENCES bank_statements(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT of_a_match FOREIGN KEY (match) REFERENCES matches(id) DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT bank_lines_amount_check CHECK ((amount <> 0)),
  CONSTRAINT bank_lines_bank_reference_check CHECK ((length(bank_reference) <= 100)),
  CONSTRAINT bank_lines_block_check CHECK ((length(block) <= 100)),
  CONSTRAINT bank_lines_code_check CHECK ((length(code) <= 60)),
  CONSTRAINT bank_lines_counterparty_check CHECK ((length(counterparty) <= 64)),
  CONSTRAINT bank_lines_counterparty_name_check CHECK ((length(counterparty_name) <= 200)),
  CONSTRAINT bank_lines_details_check CHECK (((jsonb_typeof(details) = 'array'::text) AND (jsonb_array_length(details) <= 20000))),
  CONSTRAINT bank_lines_end_to_end_id_check CHECK ((length(end_to_end_id) <= 100)),
  CONSTRAINT bank_lines_file_check CHECK ((length(file) <= 100)),
  CONSTRAINT bank_lines_instruction_check CHECK ((length(instruction) <= 100)),
  CONSTRAINT bank_lines_occurrence_check CHECK ((occurrence > 0)),
  CONSTRAINT bank_lines_own_account_check CHECK ((length(own_account) <= 64)),
  CONSTRAINT bank_lines_position_check CHECK (("position" > 0)),
  CONSTRAINT bank_lines_text_check CHECK ((length(text) <= 1000)),
  CONSTRAINT bank_lines_uetr_check CHECK ((length(uetr) <= 36))
);
CREATE INDEX bank_lines_by_day ON bank_lines USING btree (nostro, booked_on, id);
CREATE INDEX bank_lines_by_match ON bank_lines USING btree (match) WHERE (match IS NOT NULL);
CREATE INDEX bank_lines_of_payments ON bank_lines USING btree (end_to_end_id) WHERE (end_to_end_id <> ''::text);
CREATE INDEX bank_lines_to_erase ON bank_lines USING btree (booked_on) WHERE (((counterparty || counterparty_name) || text) <> ''::text);
CREATE INDEX matched_credits_by_key ON bank_lines USING gin (array_remove(ARRAY[fold_reference(end_to_end_id), fold_reference(bank_reference), fold_reference(instruction)], ''::text)) WHERE ((match IS NOT NULL) AND (amount > 0));
CREATE INDEX open_lines ON bank_lines USING btree (nostro, id) WHERE (match IS NULL);
CREATE INDEX open_lines_by_day ON bank_lines USING btree (nostro, booked_on, id) WHERE (match IS NULL);
CREATE TRIGGER bank_said_so BEFORE UPDATE ON bank_lines FOR EACH ROW WHEN (((((((((((((((((((old.id IS DISTINCT FROM new.id) OR (old.amount IS DISTINCT FROM new.amount)) OR (old.statement IS DISTINCT FROM new.statement)) OR (old."position" IS DISTINCT FROM new."position")) OR (old.booked_on IS DISTINCT FROM new.booked_on)) OR (old.value_on IS DISTINCT FROM new.value_on)) OR (old.occurrence IS DISTINCT FROM new.occurrence)) OR ((old.same)::bytea IS DISTINCT FROM (new.same)::bytea)) OR (old.nostro IS DISTINCT FROM new.nostro)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.code IS DISTINCT FROM new.code)) OR (old.end_to_end_id IS DISTINCT FROM new.end_to_end_id)) OR (old.uetr IS DISTINCT FROM new.uetr)) OR (old.instruction IS DISTINCT FROM new.instruction)) OR (old.block IS DISTINCT FROM new.block)) OR (old.file IS DISTINCT FROM new.file)) OR (old.bank_reference IS DISTINCT FROM new.bank_reference)) OR (old.own_account IS DISTINCT FROM new.own_account))) EXECUTE FUNCTION refuse_bank_change();
CREATE TRIGGER counted AFTER INSERT ON bank_lines REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_to_total('bank');
CREATE TRIGGER erased_only BEFORE UPDATE OF counterparty, counterparty_name, text ON bank_lines FOR EACH ROW WHEN (((((new.counterparty IS DISTINCT FROM old.counterparty) OR (new.counterparty_name IS DISTINCT FROM old.counterparty_name)) OR (new.text IS DISTINCT FROM old.text)) AND (((new.counterparty || new.counterparty_name) || new.text) <> ''::text))) EXECUTE FUNCTION guard_words();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON bank_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER matched AFTER UPDATE ON bank_lines REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION move_matched_totals('matched_lines');
CREATE TRIGGER member_of_one_match AFTER UPDATE ON bank_lines REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION check_members();
GRANT SELECT ON bank_lines TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (counterparty, counterparty_name, match, text) ON bank_lines TO corridor_service;

CREATE TABLE matches (
  id bigint NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  undone_at timestamp with time zone,
  lines_sum bigint NOT NULL,
  items_sum bigint NOT NULL,
  house_number bigint,
  nostro text COLLATE "C" NOT NULL,
  rule text NOT NULL,
  by text DEFAULT ''::text NOT NULL,
  note text DEFAULT ''::text NOT NULL,
  undone_by text DEFAULT ''::text NOT NULL,
  undo_note text DEFAULT ''::text NOT NULL,
  lines bigint[] NOT NULL,
  items bigint[] NOT NULL,
  CONSTRAINT undone_gives_back TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT undone_takes_back_its_return TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT matches_pkey PRIMARY KEY (id),
  CONSTRAINT matches_house_number_key UNIQUE (house_number),
  CONSTRAINT matches_house_number_fkey FOREIGN KEY (house_number) REFERENCES house_journals(number),
  CONSTRAINT matches_nostro_fkey FOREIGN KEY (nostro) REFERENCES nostros(name),
  CONSTRAINT match_has_members CHECK (((cardinality(lines) + cardinality(items)) > 1)),
  CONSTRAINT matches_items_check CHECK ((cardinality(items) <= 100000)),
  CONSTRAINT matches_lines_check CHECK ((cardinality(lines) <= 100000)),
  CONSTRAINT matches_note_check CHECK ((length(note) <= 500)),
  CONSTRAINT matches_rule_check CHECK ((rule ~ '^[a-z][a-z0-9_]{1,39}$'::text)),
  CONSTRAINT matches_undo_note_check CHECK ((length(undo_note) <= 500)),
  CONSTRAINT sums_are_equal CHECK ((lines_sum = items_sum)),
  CONSTRAINT undone_by_a_person CHECK (((undone_at IS NULL) = (undone_by = ''::text)))
);
CREATE INDEX matches_by_nostro ON matches USING btree (nostro, id);
CREATE INDEX undone_matches ON matches USING btree (nostro, id) WHERE (undone_at IS NOT NULL);
CREATE TRIGGER history AFTER INSERT OR UPDATE ON matches FOR EACH ROW WHEN (((new.by <> ''::text) OR (new.undone_by <> ''::text))) EXECUTE FUNCTION keep_history('lines', 'items');
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON matches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER match_is_its_members AFTER INSERT ON matches REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_matches();
CREATE TRIGGER match_stays BEFORE UPDATE ON matches FOR EACH ROW WHEN (((((((((((((old.id IS DISTINCT FROM new.id) OR (old.at IS DISTINCT FROM new.at)) OR (old.lines_sum IS DISTINCT FROM new.lines_sum)) OR (old.items_sum IS DISTINCT FROM new.items_sum)) OR (old.house_number IS DISTINCT FROM new.house_number)) OR (old.nostro IS DISTINCT FROM new.nostro)) OR (old.rule IS DISTINCT FROM new.rule)) OR (old.by IS DISTINCT FROM new.by)) OR (old.note IS DISTINCT FROM new.note)) OR (old.lines IS DISTINCT FROM new.lines)) OR (old.items IS DISTINCT FROM new.items)) OR (old.undone_at IS NOT NULL))) EXECUTE FUNCTION refuse_match_change();
CREATE TRIGGER matched_or_credited AFTER INSERT ON matches REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_credited();
CREATE CONSTRAINT TRIGGER undone_gives_back AFTER UPDATE ON matches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_given_back();
CREATE CONSTRAINT TRIGGER undone_takes_back_its_return AFTER UPDATE ON matches DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.house_number IS NOT NULL) AND (new.undone_at IS NOT NULL))) EXECUTE FUNCTION check_return();
GRANT SELECT ON matches TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (undo_note, undone_at, undone_by) ON matches TO corridor_service;

CREATE TABLE case_notes (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  of text NOT NULL,
  row_id bigint NOT NULL,
  by text NOT NULL,
  owner text DEFAULT ''::text NOT NULL,
  note text NOT NULL,
  proposes text DEFAULT ''::text NOT NULL,
  CONSTRAINT case_notes_pkey PRIMARY KEY (id),
  CONSTRAINT case_notes_by_check CHECK ((by <> ''::text)),
  CONSTRAINT case_notes_note_check CHECK (((note <> ''::text) AND (length(note) <= 1000))),
  CONSTRAINT case_notes_of_check CHECK ((of = ANY (ARRAY['line'::text, 'item'::text, 'statement'::text]))),
  CONSTRAINT case_notes_owner_check CHECK ((length(owner) <= 200)),
  CONSTRAINT case_notes_proposes_check CHECK ((length(proposes) <= 40)),
  CONSTRAINT lines_alone_have_proposals CHECK (((proposes = ''::text) OR (of = 'line'::text)))
);
CREATE INDEX case_notes_by_row ON case_notes USING btree (of, row_id, id);
CREATE INDEX case_notes_of_proposals ON case_notes USING btree (row_id, id) WHERE (proposes <> ''::text);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON case_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON case_notes TO corridor_auditor;
GRANT INSERT, SELECT ON case_notes TO corridor_service;

CREATE TABLE funding_keys (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  value text COLLATE "C" NOT NULL,
  nostro text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  made_by text NOT NULL,
  ended_at timestamp with time zone,
  CONSTRAINT funding_keys_pkey PRIMARY KEY (id),
  CONSTRAINT funding_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT funding_keys_nostro_fkey FOREIGN KEY (nostro) REFERENCES nostros(name),
  CONSTRAINT funding_keys_kind_check CHECK ((kind = ANY (ARRAY['virtual_iban'::text, 'reference'::text, 'payer_account'::text, 'address'::text]))),
  CONSTRAINT funding_keys_value_check CHECK (((value = fold_reference(value)) AND ((length(value) >= 4) AND (length(value) <= 64))))
);
CREATE INDEX funding_keys_by_account ON funding_keys USING btree (account_id, id);
CREATE UNIQUE INDEX one_account_a_key ON funding_keys USING btree (kind, value, currency) WHERE (ended_at IS NULL);
CREATE TRIGGER funding_key_stays BEFORE UPDATE ON funding_keys FOR EACH ROW WHEN ((((((((((old.id IS DISTINCT FROM new.id) OR (old.account_id IS DISTINCT FROM new.account_id)) OR (old.kind IS DISTINCT FROM new.kind)) OR (old.value IS DISTINCT FROM new.value)) OR (old.nostro IS DISTINCT FROM new.nostro)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.made_at IS DISTINCT FROM new.made_at)) OR (old.made_by IS DISTINCT FROM new.made_by)) OR (old.ended_at IS NOT NULL))) EXECUTE FUNCTION refuse_key_change();
CREATE TRIGGER history AFTER INSERT OR UPDATE ON funding_keys FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON funding_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
ALTER TABLE funding_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON funding_keys FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON funding_keys FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON funding_keys FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
CREATE POLICY of_the_house ON funding_keys FOR ALL TO corridor_service USING ((( SELECT current_setting('corridor.house'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON funding_keys TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (ended_at) ON funding_keys TO corridor_service;

CREATE TABLE closes (
  month text NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  by text NOT NULL,
  cuts digest NOT NULL,
  trial_balance jsonb NOT NULL,
  positions jsonb NOT NULL,
  sha256 digest NOT NULL,
  CONSTRAINT closes_pkey PRIMARY KEY (month),
  CONSTRAINT closes_by_check CHECK ((by <> ''::text)),
  CONSTRAINT closes_month_check CHECK ((month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'::text)),
  CONSTRAINT digest_of_its_content CHECK (((sha256)::bytea = close_digest(month, (cuts)::bytea, trial_balance, positions)))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON closes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER history AFTER INSERT ON closes FOR EACH ROW EXECUTE FUNCTION keep_history('trial_balance', 'positions');
CREATE TRIGGER months_in_order BEFORE INSERT ON closes FOR EACH ROW EXECUTE FUNCTION refuse_month_before();
GRANT SELECT ON closes TO corridor_auditor;
GRANT INSERT, SELECT ON closes TO corridor_service;

CREATE TABLE account_pools (
  account_id text COLLATE "C" NOT NULL,
  pool text NOT NULL,
  CONSTRAINT account_pools_pkey PRIMARY KEY (account_id),
  CONSTRAINT account_pools_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(account_id),
  CONSTRAINT account_pools_pool_check CHECK ((pool = ANY (ARRAY['payments'::text, 'emoney'::text, 'none'::text])))
);
CREATE TRIGGER history AFTER INSERT OR UPDATE ON account_pools FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON account_pools FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON account_pools TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (pool) ON account_pools TO corridor_service;

CREATE TABLE safeguarding_days (
  day date NOT NULL,
  pool text NOT NULL,
  currency text NOT NULL,
  number integer NOT NULL,
  at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  as_of timestamp with time zone NOT NULL,
  requirement numeric NOT NULL,
  resource numeric NOT NULL,
  entered numeric DEFAULT 0 NOT NULL,
  d1_requirement numeric NOT NULL,
  d1_resource numeric NOT NULL,
  earned numeric NOT NULL,
  external jsonb NOT NULL,
  state text NOT NULL,
  action text DEFAULT ''::text NOT NULL,
  by text NOT NULL,
  CONSTRAINT safeguarding_days_pkey PRIMARY KEY (day, pool, currency, number),
  CONSTRAINT safeguarding_days_action_check CHECK ((length(action) <= 1000)),
  CONSTRAINT safeguarding_days_by_check CHECK ((by <> ''::text)),
  CONSTRAINT safeguarding_days_entered_check CHECK ((entered >= (0)::numeric)),
  CONSTRAINT safeguarding_days_number_check CHECK ((number > 0)),
  CONSTRAINT safeguarding_days_pool_check CHECK ((pool = ANY (ARRAY['payments'::text, 'emoney'::text]))),
  CONSTRAINT safeguarding_days_requirement_check CHECK ((requirement >= (0)::numeric)),
  CONSTRAINT safeguarding_days_state_check CHECK ((state = ANY (ARRAY['met'::text, 'shortfall'::text, 'excess'::text]))),
  CONSTRAINT shortfall_with_an_action CHECK (((state <> 'shortfall'::text) OR (action <> ''::text))),
  CONSTRAINT state_is_the_sum CHECK ((state =
CASE
    WHEN ((requirement > (resource + entered)) OR (d1_requirement > (d1_resource + entered))) THEN 'shortfall'::text
    WHEN (requirement < (resource + entered)) THEN 'excess'::text
    ELSE 'met'::text
END))
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON safeguarding_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER history AFTER INSERT ON safeguarding_days FOR EACH ROW EXECUTE FUNCTION keep_history('external');
GRANT SELECT ON safeguarding_days TO corridor_auditor;
GRANT INSERT, SELECT ON safeguarding_days TO corridor_service;

CREATE TABLE conversions (
  number positive NOT NULL,
  created_at timestamp with time zone NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  quote_id text COLLATE "C" NOT NULL,
  holding_currency text NOT NULL,
  destination_currency text NOT NULL,
  made_by maker COLLATE "C" NOT NULL,
  CONSTRAINT conversion_is_whole TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT conversions_pkey PRIMARY KEY (account_id, id),
  CONSTRAINT conversions_id_check CHECK (("left"(id, 4) = 'cnv_'::text))
);
CREATE UNIQUE INDEX conversion_quote_used_once ON conversions USING btree (account_id, quote_id);
CREATE INDEX conversions_by_kind ON conversions USING btree (account_id, holding_currency, destination_currency, id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON conversions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER conversion_is_whole AFTER INSERT ON conversions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION check_conversion();
ALTER TABLE conversions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON conversions FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON conversions FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON conversions FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON conversions TO corridor_auditor;
GRANT INSERT, SELECT ON conversions TO corridor_service;

CREATE TABLE safeguarding_shares (
  pool text NOT NULL,
  currency text NOT NULL,
  most_share integer NOT NULL,
  CONSTRAINT safeguarding_shares_pkey PRIMARY KEY (pool, currency),
  CONSTRAINT safeguarding_shares_currency_check CHECK ((length(currency) <= 10)),
  CONSTRAINT safeguarding_shares_most_share_check CHECK (((most_share >= 1) AND (most_share <= 100))),
  CONSTRAINT safeguarding_shares_pool_check CHECK ((pool = ANY (ARRAY['payments'::text, 'emoney'::text])))
);
CREATE TRIGGER history AFTER INSERT OR UPDATE ON safeguarding_shares FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON safeguarding_shares FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON safeguarding_shares TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (most_share) ON safeguarding_shares TO corridor_service;

CREATE TABLE handed_over (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  nostro text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT handed_over_pkey PRIMARY KEY (id),
  CONSTRAINT handed_over_nostro_fkey FOREIGN KEY (nostro) REFERENCES nostros(name),
  CONSTRAINT handed_over_amount_check CHECK ((amount <> 0))
);
CREATE INDEX handed_over_by_nostro ON handed_over USING btree (nostro) INCLUDE (amount);
CREATE TRIGGER kept BEFORE UPDATE OR TRUNCATE ON handed_over FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON handed_over TO corridor_auditor;

CREATE TABLE open_days (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  nostro text COLLATE "C" NOT NULL,
  currency text NOT NULL,
  day date NOT NULL,
  is_out boolean NOT NULL,
  count bigint NOT NULL,
  amount numeric NOT NULL,
  CONSTRAINT open_days_pkey PRIMARY KEY (id)
);
CREATE INDEX open_days_by_nostro ON open_days USING btree (nostro);
CREATE TRIGGER kept BEFORE UPDATE OR TRUNCATE ON open_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
GRANT SELECT ON open_days TO corridor_auditor;
GRANT SELECT ON open_days TO corridor_service;

CREATE TABLE evm_wallets (
  chain_id positive NOT NULL,
  next_nonce not_negative NOT NULL,
  read_block not_negative NOT NULL,
  begun_at timestamp with time zone NOT NULL,
  stopped_at timestamp with time zone,
  gas_left bigint,
  held_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  address evm_address COLLATE "C" NOT NULL,
  rail text COLLATE "C" NOT NULL,
  state text DEFAULT 'active'::text NOT NULL,
  stopped_as text DEFAULT ''::text NOT NULL,
  problem text DEFAULT ''::text NOT NULL,
  held_by text DEFAULT ''::text NOT NULL,
  read_hash evm_hash COLLATE "C" NOT NULL,
  CONSTRAINT no_gap TRIGGER DEFERRABLE INITIALLY DEFERRED,
  CONSTRAINT evm_wallets_pkey PRIMARY KEY (chain_id, address),
  CONSTRAINT evm_wallets_gas_left_check CHECK ((gas_left >= 0)),
  CONSTRAINT evm_wallets_held_by_check CHECK ((length(held_by) <= 64)),
  CONSTRAINT evm_wallets_problem_check CHECK ((length(problem) <= 500)),
  CONSTRAINT evm_wallets_rail_check CHECK ((rail <> ''::text)),
  CONSTRAINT evm_wallets_state_check CHECK ((state = ANY (ARRAY['active'::text, 'stopped'::text]))),
  CONSTRAINT evm_wallets_stopped_as_check CHECK ((stopped_as = ANY (ARRAY[''::text, 'history_lost'::text, 'foreign_transaction'::text]))),
  CONSTRAINT stopped_for_a_reason CHECK ((((state = 'stopped'::text) = (stopped_as <> ''::text)) AND ((state = 'stopped'::text) = (problem <> ''::text)) AND ((state = 'stopped'::text) = (stopped_at IS NOT NULL))))
);
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON evm_wallets FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER no_gap AFTER UPDATE ON evm_wallets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.next_nonce)::bigint <> (old.next_nonce)::bigint)) EXECUTE FUNCTION check_no_gap();
CREATE TRIGGER wallet_rises BEFORE UPDATE ON evm_wallets FOR EACH ROW WHEN (((((((old.chain_id)::bigint IS DISTINCT FROM (new.chain_id)::bigint) OR ((old.address)::text IS DISTINCT FROM (new.address)::text)) OR (old.rail IS DISTINCT FROM new.rail)) OR (old.begun_at IS DISTINCT FROM new.begun_at)) OR ((new.next_nonce)::bigint < (old.next_nonce)::bigint) OR ((new.read_block)::bigint < (old.read_block)::bigint))) EXECUTE FUNCTION refuse_wallet_change();
GRANT SELECT ON evm_wallets TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (gas_left, held_by, held_until, next_nonce, problem, read_block, read_hash, state, stopped_as, stopped_at) ON evm_wallets TO corridor_service;

CREATE TABLE evm_sweeps (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  chain_id positive NOT NULL,
  amount positive NOT NULL,
  asked_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  agreed_at timestamp with time zone,
  rail text COLLATE "C" NOT NULL,
  wallet evm_address COLLATE "C" NOT NULL,
  payee evm_address COLLATE "C" NOT NULL,
  currency text NOT NULL,
  asked_by text NOT NULL,
  reason text NOT NULL,
  agreed_by text DEFAULT ''::text NOT NULL,
  CONSTRAINT evm_sweeps_pkey PRIMARY KEY (id),
  CONSTRAINT agreed_by_a_person CHECK (((agreed_at IS NULL) = (agreed_by = ''::text))),
  CONSTRAINT evm_sweeps_agreed_by_check CHECK ((length(agreed_by) <= 200)),
  CONSTRAINT evm_sweeps_asked_by_check CHECK (((asked_by <> ''::text) AND (length(asked_by) <= 200))),
  CONSTRAINT evm_sweeps_rail_check CHECK ((rail <> ''::text)),
  CONSTRAINT evm_sweeps_reason_check CHECK (((reason <> ''::text) AND (length(reason) <= 500))),
  CONSTRAINT sweep_by_two CHECK (((agreed_by = ''::text) OR (fold_person(agreed_by) <> fold_person(asked_by))))
);
CREATE TRIGGER asked_before_agreed BEFORE INSERT ON evm_sweeps FOR EACH ROW EXECUTE FUNCTION check_sweep_begin();
CREATE TRIGGER history AFTER INSERT OR UPDATE ON evm_sweeps FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON evm_sweeps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER sweep_stays BEFORE UPDATE ON evm_sweeps FOR EACH ROW WHEN (((old.agreed_by <> ''::text) OR ((((((((((old.id IS DISTINCT FROM new.id) OR ((old.chain_id)::bigint IS DISTINCT FROM (new.chain_id)::bigint)) OR ((old.amount)::bigint IS DISTINCT FROM (new.amount)::bigint)) OR (old.asked_at IS DISTINCT FROM new.asked_at)) OR (old.rail IS DISTINCT FROM new.rail)) OR ((old.wallet)::text IS DISTINCT FROM (new.wallet)::text)) OR ((old.payee)::text IS DISTINCT FROM (new.payee)::text)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.asked_by IS DISTINCT FROM new.asked_by)) OR (old.reason IS DISTINCT FROM new.reason)))) EXECUTE FUNCTION refuse_sweep_change();
GRANT SELECT ON evm_sweeps TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (agreed_at, agreed_by) ON evm_sweeps TO corridor_service;

CREATE TABLE evm_slots (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  chain_id positive NOT NULL,
  nonce bigint,
  amount positive,
  units numeric(78,0),
  made_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  suspect_at timestamp with time zone,
  void_at timestamp with time zone,
  to_contract boolean DEFAULT false NOT NULL,
  sweep bigint,
  attempt integer,
  account_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  payout_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  rail text COLLATE "C" NOT NULL,
  wallet text COLLATE "C" DEFAULT ''::text NOT NULL,
  uetr text COLLATE "C" DEFAULT ''::text NOT NULL,
  purpose text NOT NULL,
  currency text NOT NULL,
  token text COLLATE "C" NOT NULL,
  payee text COLLATE "C" NOT NULL,
  calldata text NOT NULL,
  state text NOT NULL,
  adopted_by text DEFAULT ''::text NOT NULL,
  void_as text DEFAULT ''::text NOT NULL,
  void_by text DEFAULT ''::text NOT NULL,
  void_reason text DEFAULT ''::text NOT NULL,
  CONSTRAINT evm_slots_pkey PRIMARY KEY (id),
  CONSTRAINT evm_slots_sweep_key UNIQUE (sweep),
  CONSTRAINT slot_of_a_nonce UNIQUE (chain_id, wallet, nonce),
  CONSTRAINT evm_slots_sweep_fkey FOREIGN KEY (sweep) REFERENCES evm_sweeps(id),
  CONSTRAINT calls_as_ordered CHECK (((calldata = ''::text) OR ((length(calldata) = ANY (ARRAY[138, 170])) AND starts_with(calldata, transfer_call(payee, units))))),
  CONSTRAINT ended_when_it_is_over CHECK (((ended_at IS NULL) = (state = ANY (ARRAY['signed'::text, 'sent'::text, 'mined'::text, 'stopped'::text])))),
  CONSTRAINT evm_slots_adopted_by_check CHECK ((length(adopted_by) <= 100)),
  CONSTRAINT evm_slots_attempt_check CHECK ((attempt > 0)),
  CONSTRAINT evm_slots_calldata_check CHECK (((calldata ~ '^(0x([0-9a-f]{2})+)?$'::text) AND (length(calldata) <= 402))),
  CONSTRAINT evm_slots_nonce_check CHECK ((nonce >= 0)),
  CONSTRAINT evm_slots_payee_check CHECK ((payee ~ '^(0x[0-9a-f]{40})?$'::text)),
  CONSTRAINT evm_slots_purpose_check CHECK ((purpose = ANY (ARRAY['pay'::text, 'house'::text, 'foreign'::text]))),
  CONSTRAINT evm_slots_rail_check CHECK ((rail <> ''::text)),
  CONSTRAINT evm_slots_state_check CHECK ((state = ANY (ARRAY['refused'::text, 'signed'::text, 'sent'::text, 'mined'::text, 'paid'::text, 'reverted'::text, 'voided'::text, 'differs'::text, 'stopped'::text, 'foreign'::text]))),
  CONSTRAINT evm_slots_token_check CHECK ((token ~ '^(0x[0-9a-f]{40})?$'::text)),
  CONSTRAINT evm_slots_uetr_check CHECK ((length(uetr) <= 36)),
  CONSTRAINT evm_slots_void_as_check CHECK ((void_as = ANY (ARRAY[''::text, 'fail'::text, 'again'::text]))),
  CONSTRAINT evm_slots_void_by_check CHECK ((length(void_by) <= 100)),
  CONSTRAINT evm_slots_void_reason_check CHECK ((length(void_reason) <= 500)),
  CONSTRAINT house_by_a_sweep CHECK (((purpose = 'house'::text) = (sweep IS NOT NULL))),
  CONSTRAINT known_unless_foreign CHECK ((((purpose = 'foreign'::text) = (state = 'foreign'::text)) AND ((purpose = 'foreign'::text) = (amount IS NULL)) AND ((amount IS NULL) = (units IS NULL)))),
  CONSTRAINT nonce_unless_refused CHECK (((nonce IS NULL) = (state = 'refused'::text))),
  CONSTRAINT pays_an_attempt CHECK ((((purpose = 'pay'::text) = (account_id <> ''::text)) AND ((purpose = 'pay'::text) = (payout_id <> ''::text)) AND ((purpose = 'pay'::text) = (attempt IS NOT NULL)))),
  CONSTRAINT voided_by_a_person CHECK ((((void_as = ''::text) = (void_by = ''::text)) AND ((void_as = ''::text) = (void_reason = ''::text)) AND ((void_as = ''::text) = (void_at IS NULL)) AND ((state <> 'voided'::text) OR (void_as <> ''::text)))),
  CONSTRAINT wallet_of_a_nonce CHECK (((nonce IS NULL) OR (wallet ~ '^0x[0-9a-f]{40}$'::text))),
  CONSTRAINT whole_factor CHECK (((units > (0)::numeric) AND (mod(units, (amount)::numeric) = (0)::numeric) AND ((div(units, (amount)::numeric))::text ~ '^10*$'::text))),
  CONSTRAINT whole_unless_refused CHECK (((state = ANY (ARRAY['refused'::text, 'foreign'::text])) OR ((token <> ''::text) AND ((payee = ''::text) = (calldata = ''::text)))))
);
CREATE INDEX evm_slots_by_day ON evm_slots USING btree (chain_id, wallet, token, made_at) WHERE (nonce IS NOT NULL);
CREATE INDEX evm_slots_by_payee ON evm_slots USING btree (payee, ended_at) WHERE (state = 'paid'::text);
CREATE INDEX evm_slots_open ON evm_slots USING btree (chain_id, wallet, nonce) WHERE (state = ANY (ARRAY['signed'::text, 'sent'::text, 'mined'::text, 'stopped'::text]));
CREATE INDEX evm_slots_paid ON evm_slots USING btree (chain_id, wallet, ended_at) WHERE (state = 'paid'::text);
CREATE UNIQUE INDEX one_slot_an_attempt ON evm_slots USING btree (account_id, payout_id, attempt) WHERE (purpose = 'pay'::text);
CREATE TRIGGER as_its_rail_is_set BEFORE INSERT ON evm_slots FOR EACH ROW WHEN (((new.state = 'signed'::text) AND (new.adopted_by = ''::text))) EXECUTE FUNCTION check_slot_settings();
CREATE TRIGGER erased_once_over BEFORE UPDATE ON evm_slots FOR EACH ROW WHEN (((new.payee = ''::text) AND (old.payee <> ''::text) AND (old.state = ANY (ARRAY['signed'::text, 'sent'::text, 'mined'::text])))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON evm_slots FOR EACH ROW WHEN (((new.payee = ''::text) AND (old.payee <> ''::text))) EXECUTE FUNCTION guard_erased('{"payee":"","calldata":""}');
CREATE TRIGGER house_by_two_people BEFORE INSERT ON evm_slots FOR EACH ROW WHEN ((new.purpose = 'house'::text)) EXECUTE FUNCTION check_house_slot();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON evm_slots FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_step BEFORE UPDATE ON evm_slots FOR EACH ROW WHEN (((new.payee <> ''::text) OR (old.payee = ''::text))) EXECUTE FUNCTION check_slot_step();
CREATE TRIGGER proved BEFORE UPDATE ON evm_slots FOR EACH ROW WHEN (((new.payee <> ''::text) OR (old.payee = ''::text))) EXECUTE FUNCTION check_slot_proof();
CREATE TRIGGER reserved_first BEFORE INSERT ON evm_slots FOR EACH ROW EXECUTE FUNCTION check_slot_begin();
ALTER TABLE evm_slots ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY accounts_named ON evm_slots FOR ALL TO corridor_service USING ((array_position(( SELECT string_to_array(current_setting('corridor.accounts'::text, true), ','::text) AS string_to_array), account_id) IS NOT NULL));
CREATE POLICY audit ON evm_slots FOR SELECT TO corridor_auditor USING (true);
CREATE POLICY maintenance ON evm_slots FOR ALL TO owner USING ((( SELECT current_setting('corridor.maintenance'::text, true) AS current_setting) = 'on'::text));
CREATE POLICY of_the_house ON evm_slots FOR ALL TO corridor_service USING ((( SELECT current_setting('corridor.house'::text, true) AS current_setting) = 'on'::text));
GRANT SELECT ON evm_slots TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (calldata, ended_at, payee, state, suspect_at, void_as, void_at, void_by, void_reason) ON evm_slots TO corridor_service;

CREATE TABLE evm_transactions (
  chain_id positive NOT NULL,
  nonce not_negative NOT NULL,
  number integer NOT NULL,
  gas positive NOT NULL,
  max_fee numeric(78,0) NOT NULL,
  tip numeric(78,0) NOT NULL,
  signed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  first_sent_at timestamp with time zone,
  sends count_of DEFAULT 0 NOT NULL,
  block not_negative,
  gas_used bigint,
  cost_wei numeric(78,0),
  succeeded boolean,
  hash evm_hash COLLATE "C" NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  raw text NOT NULL,
  block_hash text COLLATE "C" DEFAULT ''::text NOT NULL,
  last_answer text DEFAULT ''::text NOT NULL,
  CONSTRAINT evm_transactions_pkey PRIMARY KEY (hash),
  CONSTRAINT one_of_a_number UNIQUE (chain_id, wallet, nonce, number),
  CONSTRAINT of_a_slot FOREIGN KEY (chain_id, wallet, nonce) REFERENCES evm_slots(chain_id, wallet, nonce),
  CONSTRAINT evm_transactions_block_hash_check CHECK ((block_hash ~ '^(0x[0-9a-f]{64})?$'::text)),
  CONSTRAINT evm_transactions_check CHECK (((tip >= (0)::numeric) AND (tip <= max_fee))),
  CONSTRAINT evm_transactions_cost_wei_check CHECK ((cost_wei >= (0)::numeric)),
  CONSTRAINT evm_transactions_gas_used_check CHECK ((gas_used >= 0)),
  CONSTRAINT evm_transactions_kind_check CHECK ((kind = ANY (ARRAY['pay'::text, 'void'::text]))),
  CONSTRAINT evm_transactions_last_answer_check CHECK ((length(last_answer) <= 500)),
  CONSTRAINT evm_transactions_max_fee_check CHECK ((max_fee > (0)::numeric)),
  CONSTRAINT evm_transactions_number_check CHECK (((number >= 1) AND (number <= 10))),
  CONSTRAINT evm_transactions_raw_check CHECK (((raw ~ '^(0x([0-9a-f]{2})+)?$'::text) AND (length(raw) <= 2002))),
  CONSTRAINT known_in_its_block CHECK ((((block IS NULL) = (block_hash = ''::text)) AND ((block IS NULL) = (gas_used IS NULL)) AND ((block IS NULL) = (cost_wei IS NULL)) AND ((block IS NULL) = (succeeded IS NULL)))),
  CONSTRAINT sent_once_said CHECK (((first_sent_at IS NULL) = ((sends)::integer = 0)))
);
CREATE TRIGGER fits_its_slot BEFORE INSERT ON evm_transactions FOR EACH ROW EXECUTE FUNCTION check_transaction();
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON evm_transactions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER legal_change BEFORE UPDATE ON evm_transactions FOR EACH ROW EXECUTE FUNCTION check_transaction_change();
GRANT SELECT ON evm_transactions TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (block, block_hash, cost_wei, first_sent_at, gas_used, last_answer, raw, sends, succeeded) ON evm_transactions TO corridor_service;

CREATE TABLE evm_transfers (
  chain_id positive NOT NULL,
  block not_negative NOT NULL,
  units numeric(78,0) NOT NULL,
  log_index not_negative NOT NULL,
  at timestamp with time zone NOT NULL,
  tx_hash evm_hash COLLATE "C" NOT NULL,
  block_hash evm_hash COLLATE "C" NOT NULL,
  token evm_address COLLATE "C" NOT NULL,
  sender evm_address COLLATE "C" NOT NULL,
  receiver text COLLATE "C" NOT NULL,
  CONSTRAINT evm_transfers_pkey PRIMARY KEY (chain_id, tx_hash, log_index),
  CONSTRAINT evm_transfers_receiver_check CHECK ((receiver ~ '^(0x[0-9a-f]{40})?$'::text)),
  CONSTRAINT evm_transfers_units_check CHECK ((units > (0)::numeric))
);
CREATE INDEX evm_transfers_by_time ON evm_transfers USING btree (chain_id, token, at);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON evm_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER erased_only BEFORE UPDATE ON evm_transfers FOR EACH ROW EXECUTE FUNCTION check_transfer_change();
GRANT SELECT ON evm_transfers TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (receiver) ON evm_transfers TO corridor_service;

CREATE TABLE evm_balances (
  chain_id positive NOT NULL,
  block not_negative NOT NULL,
  units numeric(78,0) NOT NULL,
  at timestamp with time zone NOT NULL,
  wallet evm_address COLLATE "C" NOT NULL,
  token evm_address COLLATE "C" NOT NULL,
  CONSTRAINT evm_balances_pkey PRIMARY KEY (chain_id, wallet, token),
  CONSTRAINT evm_balances_units_check CHECK ((units >= (0)::numeric))
);
GRANT SELECT ON evm_balances TO corridor_auditor;
GRANT INSERT, SELECT, UPDATE (at, block, units) ON evm_balances TO corridor_service;

CREATE TABLE evm_troubles (
  since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  seen_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  rail text COLLATE "C" NOT NULL,
  wallet text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  message text NOT NULL,
  CONSTRAINT evm_troubles_pkey PRIMARY KEY (rail, wallet, kind),
  CONSTRAINT evm_troubles_kind_check CHECK ((kind ~ '^[a-z][a-z_]{1,39}$'::text)),
  CONSTRAINT evm_troubles_message_check CHECK (((message <> ''::text) AND (length(message) <= 500))),
  CONSTRAINT evm_troubles_rail_check CHECK ((rail <> ''::text)),
  CONSTRAINT evm_troubles_wallet_check CHECK ((wallet ~ '^(0x[0-9a-f]{40})?$'::text))
);
GRANT SELECT ON evm_troubles TO corridor_auditor;
GRANT DELETE, INSERT, SELECT, UPDATE ON evm_troubles TO corridor_service;

CREATE VIEW postings WITH (security_invoker=true) AS
 SELECT j.account_id,
    j.number,
    p.code,
    p.currency,
    p.amount
   FROM journals j,
    LATERAL UNNEST(string_to_array((j.codes)::text, ' '::text), string_to_array(j.currencies, ' '::text), j.amounts) p(code, currency, amount);
GRANT SELECT ON postings TO corridor_auditor;

CREATE VIEW balance_transactions WITH (security_invoker=true) AS
 SELECT account_id,
    numbered_id('btr'::text, account_id, created_at, (number)::bigint) AS id,
    number AS journal_number,
        CASE kind
            WHEN 'funding'::text THEN 'escrow'::text
            WHEN 'receipt'::text THEN 'payout'::text
            WHEN 'failure'::text THEN 'payout_failure'::text
            WHEN 'reversal'::text THEN 'payout_reversal'::text
            WHEN 'funding_reversal'::text THEN 'escrow_reversal'::text
            ELSE (kind)::text
        END AS type,
        CASE
            WHEN (((amount + fixed_fee) + variable_fee) > 0) THEN 'credit'::text
            ELSE 'debit'::text
        END AS operation_type,
    currency,
    amount,
    fixed_fee,
    variable_fee,
    ((amount + fixed_fee) + variable_fee) AS net_amount,
    balance_after,
    COALESCE(fx_conversions, '[]'::json) AS fx_conversions,
        CASE kind
            WHEN 'conversion_in'::text THEN ('cnv'::text || substr(source, 4))
            ELSE source
        END AS description,
    COALESCE(undoes,
        CASE kind
            WHEN 'conversion_in'::text THEN ('cnv'::text || substr(source, 4))
            ELSE source
        END) AS source,
    COALESCE(metadata, '{}'::json) AS metadata,
    created_at
   FROM journals
  WHERE (currency IS NOT NULL);
GRANT SELECT ON balance_transactions TO corridor_auditor;

CREATE VIEW each_event WITH (security_invoker=true) AS
 SELECT account_id,
    number AS sequence,
    sequence AS row_sequence,
    numbered_id('evt'::text, account_id, created_at, number) AS id,
    (
        CASE mark
            WHEN 'B'::text THEN 'beneficiary.created'::text
            WHEN 'Q'::text THEN 'payout_quote.created'::text
            WHEN 'P'::text THEN 'payout.created'::text
            WHEN 'L'::text THEN 'balance_transaction.created'::text
            WHEN 'D'::text THEN 'payout.succeeded'::text
            WHEN 'S'::text THEN 'payout.succeeded'::text
            ELSE type
        END COLLATE "C") AS type,
    (
        CASE mark
            WHEN 'B'::text THEN (('bnf_'::text || id_time(created_at)) || ending)
            WHEN 'Q'::text THEN (('poq_'::text || id_time(created_at)) || ending)
            WHEN 'P'::text THEN (('pot_'::text || id_time(created_at)) || ending)
            WHEN 'L'::text THEN numbered_id('btr'::text, account_id, created_at, (ending)::bigint)
            WHEN 'D'::text THEN ('pot_'::text || split_part(ending, '.'::text, 2))
            ELSE object_id
        END COLLATE "C") AS object_id,
        CASE
            WHEN (own IS NOT NULL) THEN own
            WHEN (mark = 'P'::text) THEN (format('{"status":"processing","by":"account","journals":[%s]}'::text,
            CASE
                WHEN (words[(nth + 1)] ~~ 'L%'::text) THEN substr(words[(nth + 1)], 2)
                ELSE NULL::text
            END))::json
            WHEN (mark = 'D'::text) THEN (format('{"status":"succeeded","previous_status":"processing","failure":null,"by":"rail","journals":[%s]}'::text, split_part(ending, '.'::text, 1)))::json
            ELSE '{}'::json
        END AS data,
    created_at,
    mark,
    ending,
    object_id AS about,
    ((word = 'Q'::text) OR COALESCE((words[(nth - 1)] = 'Q'::text), false)) AS carried,
        CASE
            WHEN ((mark = 'L'::text) OR (word = 'Q'::text)) THEN NULL::bytea
            WHEN (octet_length((content)::bytea) = (32 * cardinality(words))) THEN substr((content)::bytea, ((32 * nth) - 31), 32)
            ELSE NULLIF(substr((content)::bytea, ((octet_length((content)::bytea) - 31) - (32 * (octet_length(rest) - octet_length(replace(replace(replace(replace(replace(rest, 'Q '::text, '  '::text), 'Q'::text, ''::text), 'P'::text, ''::text), 'B'::text, ''::text), 'D'::text, ''::text))))), 32), '\x'::bytea)
        END AS content,
        CASE
            WHEN (nth = cardinality(words)) THEN (kept)::bytea
            ELSE NULL::bytea
        END AS kept,
    own
   FROM ( SELECT e.sequence,
            e.created_at,
            e.account_id,
            e.told,
            e.type,
            e.object_id,
            e.data,
            e.content,
            e.kept,
            e.hash,
            split.words,
            w_1.word,
            (w_1.nth)::integer AS nth,
            ((e.sequence - cardinality(split.words)) + w_1.nth) AS number,
            "left"(w_1.word, 1) AS mark,
                CASE w_1.word
                    WHEN 'Q'::text THEN substr(split.words[(w_1.nth + 1)], 2)
                    ELSE substr(w_1.word, 2)
                END AS ending,
            array_to_string(split.words[(w_1.nth + 1):], ' '::text) AS rest,
                CASE json_typeof((e.data -> ((w_1.nth)::integer - 1)))
                    WHEN 'object'::text THEN (e.data -> ((w_1.nth)::integer - 1))
                    ELSE NULL::json
                END AS own
           FROM ((events e
             CROSS JOIN LATERAL ( SELECT string_to_array((e.told)::text, ' '::text) AS words
                 OFFSET 0) split)
             CROSS JOIN LATERAL unnest(split.words) WITH ORDINALITY w_1(word, nth))) w;
GRANT SELECT ON each_event TO corridor_auditor;

CREATE VIEW payout_states WITH (security_invoker=true) AS
 SELECT payout_outcomes.account_id,
    payout_outcomes.id,
    payout_outcomes.status,
    payout_outcomes.status_description,
    payout_outcomes.failure,
    payout_outcomes.rail_steps,
    payout_outcomes.rail_attempts,
    ''::text AS held_for,
    payout_outcomes.answers,
    payout_outcomes.rail,
    payout_outcomes.rail_reference,
    payout_outcomes.taken_by,
    payout_outcomes.taken_at,
    payout_outcomes.taken_over_at,
    payout_outcomes.expected_at,
    payout_outcomes.succeeded_at,
    payout_outcomes.updated_at,
    payout_outcomes.metadata
   FROM payout_outcomes
UNION ALL
 SELECT open_payouts.account_id,
    open_payouts.id,
    open_payouts.status,
    open_payouts.status_description,
    open_payouts.failure,
    open_payouts.rail_steps,
    open_payouts.rail_attempts,
    open_payouts.held_for,
    open_payouts.answers,
    open_payouts.rail,
    open_payouts.rail_reference,
    open_payouts.taken_by,
    open_payouts.taken_at,
    open_payouts.taken_over_at,
    open_payouts.expected_at,
    NULL::timestamp with time zone AS succeeded_at,
    open_payouts.updated_at,
    open_payouts.metadata
   FROM open_payouts
  WHERE ((open_payouts.status)::text <> 'succeeded'::text);
GRANT SELECT ON payout_states TO corridor_auditor;
GRANT SELECT ON payout_states TO corridor_service;

CREATE VIEW scheduled_payouts WITH (security_invoker=true) AS
 SELECT p.amount,
    p.holding_amount,
    p.fixed_fee,
    p.variable_fee,
    p.destination_amount,
    p.created_at,
    p.quote_validity_s,
    p.account_id,
    p.id,
    p.quote_id,
    p.type,
    p.currency,
    p.holding_currency,
    p.destination_currency,
    p.holding_to_payout,
    p.payout_to_destination,
    p.holding_fx_id,
    p.payout_fx_id,
    p.balance_transaction_id,
    p.beneficiary_id,
    p.beneficiary_details,
    p.particulars,
    p.reference_id,
    p.on_behalf_of,
    p.fund_transfer_network,
    p.charge_type,
    p.destination_country,
    p.basis,
    p.first_rail,
    p.route,
    p.mt103,
    p.import_keys,
    p.made_by,
    p.execute_at
   FROM (open_payouts o
     JOIN payouts p ON (((p.account_id = o.account_id) AND (p.id = o.id))))
  WHERE ((o.execute_at IS NOT NULL) AND ((o.rail_attempts)::integer = 0) AND (o.taken_by = ''::text) AND ((o.status)::text <> 'succeeded'::text));
GRANT SELECT ON scheduled_payouts TO corridor_auditor;
GRANT SELECT ON scheduled_payouts TO corridor_service;

CREATE VIEW password_digests AS
 SELECT user_name,
    set_at,
    encode(sha256(convert_to(secret_hash, 'UTF8'::name)), 'hex'::text) AS secret_digest
   FROM user_passwords;
GRANT SELECT ON password_digests TO corridor_auditor;

CREATE VIEW second_factor_digests AS
 SELECT user_name,
    made_at,
    enrolled_at,
    encode(sha256(convert_to(secret, 'UTF8'::name)), 'hex'::text) AS secret_digest
   FROM second_factors;
GRANT SELECT ON second_factor_digests TO corridor_auditor;
GRANT SELECT ON second_factor_digests TO corridor_service;

CREATE VIEW house_payouts AS
 SELECT o.account_id,
    o.id,
    o.rail,
    p.destination_currency AS currency,
    p.destination_amount AS amount,
    p.created_at,
    o.status,
    b.state AS account_state,
    o.execute_at,
    o.awaits_funds_of,
    o.awaits_funds_since,
        CASE
            WHEN (o.rail = 'manual'::text) THEN (o.taken_by <> ''::text)
            ELSE (a.number IS NOT NULL)
        END AS is_handed_over
   FROM (((open_payouts o
     JOIN books b ON (((b.account_id = o.account_id) AND (NOT b.sandbox))))
     JOIN payouts p ON (((p.account_id = o.account_id) AND (p.id = o.id))))
     LEFT JOIN payout_attempts a ON (((a.account_id = o.account_id) AND (a.payout_id = o.id) AND (a.rail = o.rail) AND (a.asked_at IS NOT NULL) AND (a.ended_as = ANY (ARRAY[''::text, 'paid'::text])))))
  WHERE ((o.status)::text <> 'succeeded'::text);
GRANT SELECT ON house_payouts TO corridor_auditor;

CREATE VIEW gated_rails AS
 SELECT name AS nostro,
    currency,
    unnest(rails) AS rail
   FROM nostros
  WHERE ((closed_at IS NULL) AND (settings @> '{"gate": true}'::jsonb));
GRANT SELECT ON gated_rails TO corridor_auditor;

CREATE OR REPLACE FUNCTION refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION require_all_written(written bigint, wanted bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if written <> wanted then
    raise exception '% of % rows were written', written, wanted using errcode = 'serialization_failure';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION refuse_falling_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.version, new.price_version, new.lists_version, new.change_count)
    is distinct from (greatest(new.version, old.version),
      greatest(new.price_version, old.price_version),
      greatest(new.lists_version, old.lists_version), greatest(new.change_count, old.change_count))
  then
    raise exception 'versions of reference tables only rise' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION announce_reference_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update reference_version set version = version + 1;
  notify corridor_reference;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION announce_price_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update reference_version set version = version + 1, price_version = price_version + 1;
  notify corridor_reference;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION chain_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
AS $function$
declare
  head bytea;
begin
  new.act := coalesce(current_setting('corridor.act', true), '');
  new.via := coalesce(current_setting('corridor.via', true), '');
  new.origin := coalesce(nullif(current_setting('corridor.origin', true), ''), '{}')::jsonb;
  select change_head, change_count + 1 into head, new.change_id from reference_version for update;
  new.hash := sha256(head || convert_to(concat_ws(E'\n', new.change_id, to_json(new.table_name),
    to_json(new.changed_by), to_json(new.act), to_json(new.via), new.origin, to_json(new.reason),
    new.changed_at, coalesce(new.before::text, 'null'), coalesce(new.after::text, 'null')), 'UTF8'));
  update reference_version set change_head = new.hash, change_count = new.change_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION history_row(stored jsonb, skipped text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select (stored - skipped) || case when stored ?| array['secret_hash', 'secret'] then
    jsonb_build_object('secret_digest', encode(sha256(convert_to(
      coalesce(stored ->> 'secret_hash', stored ->> 'secret'), 'UTF8')), 'hex'))
    else '{}' end
$function$;

CREATE OR REPLACE FUNCTION keep_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  skipped text[] := array['secret_hash', 'secret'] || coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then history_row(to_jsonb(old), skipped) end;
  new_row jsonb := case when tg_op <> 'DELETE' then history_row(to_jsonb(new), skipped) end;
begin
  if old_row is distinct from new_row then
    insert into audit_log (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION digest_row(stored jsonb, skipped text[])
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select jsonb_build_object('account_id', stored -> 'account_id', 'id', stored -> 'id',
    'digest', encode(sha256(convert_to((stored - skipped)::text, 'UTF8')), 'hex'))
$function$;

CREATE OR REPLACE FUNCTION keep_digest()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  skipped text[] := coalesce(tg_argv, '{}');
  old_row jsonb := case when tg_op <> 'INSERT' then digest_row(to_jsonb(old), skipped) end;
  new_row jsonb := case when tg_op <> 'DELETE' then digest_row(to_jsonb(new), skipped) end;
begin
  if old_row is distinct from new_row then
    insert into audit_log (table_name, changed_at, changed_by, before, after)
    values (tg_table_name, clock_timestamp(),
      coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
      old_row, new_row);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION record_act(changed text, why text, was jsonb, is_now jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if changed <> all (array['payouts', 'balance_transactions', 'beneficiaries', 'entities', 'events',
    'rail_exceptions', 'screening_matches', 'payout_approvals', 'beneficiary_approvals', 'evm_slots',
    'evm_wallets'])
  then
    raise exception 'the history of % is written by its triggers alone', changed
      using errcode = 'insufficient_privilege';
  end if;
  insert into audit_log (table_name, changed_at, changed_by, reason, before, after)
  values (changed, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), why, was, is_now);
end $function$;
REVOKE EXECUTE ON FUNCTION record_act(text,text,jsonb,jsonb) FROM public;
GRANT EXECUTE ON FUNCTION record_act(text,text,jsonb,jsonb) TO corridor_service;

CREATE OR REPLACE FUNCTION require_operator()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from users where role = 'operator' and disabled_at is null) then
    raise exception 'an installation with users has an operator who is not disabled'
      using errcode = 'check_violation', constraint = 'one_operator_left';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_account_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not old.currencies <@ new.currencies then
    raise exception 'account % keeps its currencies', new.account_id
      using errcode = 'check_violation';
  end if;
  if new.state = old.state then return new; end if;
  if old.state = 'closed' and new.state <> 'frozen' then
    raise exception 'account % is closed, and reopened by freezing it', new.account_id
      using errcode = 'check_violation';
  end if;
  perform from books where account_id = new.account_id for update;
  if not found then
    raise exception 'the book of account % is not locked', new.account_id
      using errcode = 'check_violation';
  end if;
  if new.state = 'closed' and (
    exists (select from balances where account_id = new.account_id and available <> 0)
    or exists (select from open_payouts where account_id = new.account_id)
  ) then
    raise exception 'account % holds money or has open payouts', new.account_id
      using errcode = 'check_violation';
  end if;
  -- Triggers of books and balances read the state in their own rows.
  update books set state = new.state where account_id = new.account_id;
  update balances set account_state = new.state where account_id = new.account_id;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION acting_user()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(current_setting('corridor.operator', true), '')
$function$;

CREATE OR REPLACE FUNCTION name_maker()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.made_by := acting_user();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION stamp_policy()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.created_at := now();
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_policy_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and old.effective_from > clock_timestamp() then
    return old;
  end if;
  raise exception 'a pricing policy in force is followed by another, and never changed'
    using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION keep_policy_history()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  followed jsonb;
begin
  select to_jsonb(p) into followed from pricing_policies p
  where p.name = new.name
    and p.account_id is not distinct from new.account_id
    and p.from_currency is not distinct from new.from_currency
    and p.to_currency is not distinct from new.to_currency
    and (p.effective_from, p.policy_id) < (new.effective_from, new.policy_id)
  order by p.effective_from desc, p.policy_id desc limit 1;
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
    followed, to_jsonb(new));
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_rail_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' then
    if old.kind = 'manual' or exists (select from open_payouts where rail = old.name)
      or exists (select from payout_outcomes where rail = old.name)
      -- The rail's payouts may have moved to another rail since.
      or exists (select from payout_attempts where rail = old.name)
    then
      raise exception 'rail % has payouts: it is paused, and not removed', old.name
        using errcode = 'check_violation', constraint = 'carried_nothing';
    end if;
    return old;
  end if;
  if (new.name, new.kind) is distinct from (old.name, old.kind) then
    raise exception 'rail % keeps its name and its kind', old.name
      using errcode = 'check_violation', constraint = 'keeps_its_kind';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_route()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (select sandbox from accounts where account_id = new.account_id) then
    raise exception 'account % is a sandbox, which has no routes', new.account_id
      using errcode = 'check_violation';
  end if;
  if new.zone is not null and not exists (
    select from pg_timezone_names where name = new.zone
  ) then
    raise exception 'time zone % is not known', new.zone using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_clock_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the clock of account % cannot go back', new.account_id
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION refuse_time_ahead()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the time of account % is too far ahead of the clock', new.account_id
    using errcode = 'check_violation', constraint = 'time_near_clock';
end $function$;

CREATE OR REPLACE FUNCTION confirm_clock(host timestamp with time zone)
 RETURNS clock_corrections
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  correction clock_corrections;
  present timestamptz;
  before text := coalesce(current_setting('corridor.maintenance', true), '');
begin
  perform set_config('corridor.maintenance', 'on', true);
  lock table books in share row exclusive mode;
  present := clock_timestamp();
  insert into clock_corrections (set_from, set_to)
  values (greatest(present, (select stopped_from from database_clock),
    (select max(last_written_at - clock_ahead) from books)), present)
  returning * into correction;
  update open_payouts o set ask_rail_at = present, claimed_until = null from books b
  where b.account_id = o.account_id and ask_rail_at > present + interval '1 day 10 minutes'
    and (updated_at > present + b.clock_ahead + interval '10 minutes'
      or rail_attempts > 0 and not exists (
        select from payout_attempts a where a.account_id = o.account_id and a.payout_id = o.id
          and a.ended_at is null and a.asked_at is null));
  update open_payouts set claimed_until = null where claimed_until > present + interval '10 minutes';
  update ended_reviews set due_at = present where due_at > present + interval '10 minutes';
  update screening_queue set due_at = present where due_at > present + interval '10 minutes';
  update screening_pass set due_at = present where due_at > present + interval '10 minutes';
  update webhook_deliveries set due_at = present where due_at > present + interval '1 day';
  update limit_payees p set known_since = present + b.clock_ahead from books b
  where b.account_id = p.account_id and known_since > present + b.clock_ahead;
  update idempotency_keys k set created_at = present from books b
  where b.account_id = k.account_id and not b.sandbox and k.created_at > present;
  update books set last_written_at = present + clock_ahead
  where last_written_at > present + clock_ahead;
  insert into database_clock (seen_at, seen_by_host) values (present, host)
  on conflict (only_row) do update set seen_at = excluded.seen_at,
    seen_by_host = excluded.seen_by_host, stopped_from = null, stopped_at = null;
  perform set_config('corridor.maintenance', before, true);
  return correction;
end $function$;
REVOKE EXECUTE ON FUNCTION confirm_clock(timestamp with time zone) FROM public;
GRANT EXECUTE ON FUNCTION confirm_clock(timestamp with time zone) TO corridor_service;

CREATE OR REPLACE FUNCTION refuse_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'account % is %', new.account_id, new.account_state
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION refuse_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the state of account % is changed in accounts', new.account_id
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION journal_is_sound(kind text, codes text, currencies text, amounts bigint[], currency text, amount bigint, fixed_fee bigint, variable_fee bigint, balance_after bigint, undoes text, fx_conversions json, metadata json)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
declare
  moved bigint := amount + fixed_fee + variable_fee;
  code_of text[] := string_to_array(codes, ' ');
  currency_of text[] := string_to_array(currencies, ' ');
  available integer := array_position(code_of, 'available');
  balances boolean;
  broken text;
begin
  if cardinality(amounts) in (2, 3) and 0 <> all (amounts) and currency_of[1] = all (currency_of)
  then
    -- Most journals have two or three postings in one currency. These are added without a query.
    balances := (amounts[1]::numeric + amounts[2]
      + case cardinality(amounts) when 2 then 0 else amounts[3] end = 0) is true;
  else
    -- Sums are numeric, so none overflows.
    balances := cardinality(amounts) > 1 and array_ndims(amounts) = 1
      and array_lower(amounts, 1) = 1 and not exists (
      select from unnest(currency_of, amounts) as posting (c, a) group by c
      having sum(a) <> 0 or bool_or(c is null or a is null or a = 0));
  end if;
  broken := case
    when not (balances and cardinality(code_of) = cardinality(amounts)
      and cardinality(currency_of) = cardinality(amounts)) then 'journal_sums_to_zero'
    when not case kind
      when 'settlement' then num_nonnulls(currency, amount, fixed_fee, variable_fee, balance_after,
        undoes, fx_conversions, metadata) = 0
      else num_nulls(currency, amount, fixed_fee, variable_fee, balance_after) = 0
    end then 'line_unless_settlement'
    -- The line's amount and fees sum to the journal's one posting on `available`, in the same
    -- currency.
    when not case
      when currency is null then available is null
      else (array_position(code_of, 'available', coalesce(available, 0) + 1) is null
        and amounts[available] = moved
        and currency_of[available] = currency) is true
    end then 'line_is_what_moved'
    when not case
      when kind in ('payout', 'withdrawal', 'funding_reversal', 'conversion_out') then moved < 0
      when kind in ('funding', 'receipt', 'failure', 'reversal', 'withdrawal_reversal',
        'conversion_in') then moved > 0
      else true
    end then 'direction_matches_kind'
    when (undoes is not null) <> (kind in ('failure', 'reversal', 'funding_reversal',
      'withdrawal_reversal', 'adjustment_reversal')) then 'undoes_if_it_gives_back'
    -- A line that only an operator books names its author and its reason.
    when kind in ('withdrawal', 'adjustment', 'funding_reversal', 'withdrawal_reversal',
        'adjustment_reversal')
      and not (coalesce(metadata ->> 'by', '') <> '' and coalesce(metadata ->> 'reason', '') <> ''
        and (kind not in ('withdrawal', 'adjustment')
          or coalesce(metadata ->> 'reference', '') <> '')) then 'booked_with_reason'
  end;
  if broken is null then return true; end if;
  raise exception 'new row for relation "journals" violates check constraint "%"', broken
    using errcode = 'check_violation', table = 'journals', constraint = broken;
end $function$;

CREATE OR REPLACE FUNCTION gives_back_what_was_taken()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  debit journals;
  difference bigint := coalesce((new.metadata ->> 'rate_difference')::bigint, 0);
begin
  select * into debit from journals d
  where d.account_id = new.account_id and d.source = new.source and d.kind = 'payout'
    and d.undoes is null and d.kind <> 'settlement';
  if debit.number is null or debit.currency <> new.currency
      or new.fixed_fee <> -debit.fixed_fee or new.variable_fee <> -debit.variable_fee
      or new.amount <> -debit.amount - difference or difference < 0
      or (difference > 0 and debit.fx_conversions is null)
      or (new.metadata ->> 'rate_difference' is not null and difference = 0) then
    raise exception 'journal % of % gives back other than was taken', new.number, new.account_id
      using errcode = 'check_violation', constraint = 'gives_back_what_was_taken';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION base32(value bigint, length integer)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz',
    ((value >> (5 * i)) & 31)::integer + 1, 1), '' order by i desc)
  from generate_series(0, length - 1) i
$function$;

CREATE OR REPLACE FUNCTION numbered_id(prefix text, account_id text, created_at timestamp with time zone, number bigint)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select prefix || '_' || base32((extract(epoch from created_at) * 1000000)::bigint / 1000, 9)
    || base32(number, 7) || base32(('x' || left(encode(sha256(convert_to(account_id, 'UTF8')), 'hex'), 5)
      )::bit(20)::bigint, 4)
$function$;

CREATE OR REPLACE FUNCTION fold_reference(reference text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select upper(regexp_replace(reference collate "C",
    '[\u0009-\u000d\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]', '', 'g'))
$function$;

CREATE OR REPLACE FUNCTION keep_reference(funded text, line text, bank_reference text, is_split boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  folded text := fold_reference(bank_reference);
begin
  if (select sandbox from accounts where account_id = funded) then return; end if;
  if not is_split and exists (select from funding_references
    where reference = folded and account_id <> funded and not reversed)
  then
    raise exception 'reference % has funded another account', folded
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  -- A reference funds an account once, however it is written, even if that funding was reversed.
  if exists (select from funding_references where reference = folded and account_id = funded) then
    raise exception 'reference % has funded account % before', folded, funded
      using errcode = 'unique_violation', constraint = 'one_live_account_a_reference';
  end if;
  insert into funding_references (account_id, id, reference, split)
  values (funded, line, folded, is_split);
end $function$;

CREATE OR REPLACE FUNCTION release_reference(funded text, line text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update funding_references set reversed = true where account_id = funded and id = line
$function$;

CREATE OR REPLACE FUNCTION keep_funding_reference()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.kind = 'funding_reversal' then
    perform release_reference(new.account_id, new.undoes);
    return null;
  end if;
  perform check_funding(new);
  if new.metadata ->> 'reference' is not null then
    perform keep_reference(new.account_id,
      numbered_id('btr', new.account_id, new.created_at, new.number),
      new.metadata ->> 'reference', coalesce(new.metadata ->> 'split', '') = 'true');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION funded_elsewhere(account_ids text[], bank_references text[])
 RETURNS TABLE(asked_id text, asked_reference text, account_id text, id text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended(folded, 0)) from (
    select distinct fold_reference(asked) collate "C" as folded
    from unnest(bank_references) as r (asked) where asked <> '' order by 1) ordered;
  return query
    select distinct on (a.asked_id, a.asked_reference) a.asked_id, a.asked_reference,
      f.account_id, f.id
    from unnest(account_ids, bank_references) as a (asked_id, asked_reference)
    join accounts c on c.account_id = a.asked_id and not c.sandbox
    join funding_references f on f.reference = fold_reference(a.asked_reference)
      and f.account_id <> a.asked_id and not f.reversed
    order by a.asked_id, a.asked_reference, f.id;
end $function$;
REVOKE EXECUTE ON FUNCTION funded_elsewhere(text[],text[]) FROM public;
GRANT EXECUTE ON FUNCTION funded_elsewhere(text[],text[]) TO corridor_service;

CREATE OR REPLACE FUNCTION id_time(at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select base32((extract(epoch from at) * 1000000)::bigint, 11)
$function$;

CREATE OR REPLACE FUNCTION refuse_approval_step()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'entity % cannot go from % to %', old.id, old.approval_status,
    new.approval_status using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION keep_100_duplicates()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (select count(*) from entity_duplicates d
    where d.account_id = new.account_id and d.entity_id = new.entity_id) >= 100
  then
    return null;
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_removal_of_quote()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'active' and old.valid_until <= statement_timestamp() - interval '90 days' then
    return old;
  end if;
  raise exception 'quote % is used, or has not been over for 90 days', old.id
    using errcode = 'restrict_violation', constraint = 'unused_and_expired';
end $function$;

CREATE OR REPLACE FUNCTION refuse_payout_step()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payout % cannot go from % to %', old.id, old.status, new.status
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION refuse_other_rail()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payout % cannot go from rail "%" to rail "%"', old.id, old.rail, new.rail
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION refuse_first_reversal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payout % cannot be reversed: it has not succeeded', new.id
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION is_due(owner_id text, execute_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select execute_at <= clock_timestamp() + clock_ahead from books where account_id = owner_id
$function$;

CREATE OR REPLACE FUNCTION refuse_early_payout()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_due(new.account_id, new.execute_at) is not true
    or old.rail_attempts = 0 and new.rail_attempts > 0
      and not exists (select from books where account_id = new.account_id and state = 'active')
  then
    raise exception 'payout % is executed at %, not before', new.id, new.execute_at
      using errcode = 'check_violation', constraint = 'not_before_its_time';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_early_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_due(old.account_id, old.execute_at) is not true and not exists (
    select from payout_outcomes s
    where s.account_id = old.account_id and s.id = old.id and s.status = 'failed')
  then
    raise exception 'payout % is executed at %, not before', old.id, old.execute_at
      using errcode = 'check_violation', constraint = 'not_before_its_time';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION refuse_unapproved_payout()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from payouts p
    left join entities e on e.account_id = p.account_id and e.id = p.on_behalf_of
    where p.account_id = new.account_id and p.id = new.id and p.on_behalf_of <> ''
      and e.approval_status is distinct from 'approved')
  then
    raise exception 'the entity of payout % is not approved', new.id
      using errcode = 'check_violation', constraint = 'taken_for_an_approved_entity';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION paid_elsewhere(payout_ids text[], bank_references text[])
 RETURNS TABLE(asked_id text, account_id text, id text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended(folded, 1)) from (
    select distinct fold_reference(asked) collate "C" as folded
    from unnest(bank_references) as r (asked) order by 1) ordered;
  return query
    select distinct on (a.asked_id) a.asked_id, p.account_id, p.id
    from unnest(payout_ids, bank_references) as a (asked_id, reference)
    join payout_outcomes p on fold_reference(p.rail_reference) = fold_reference(a.reference)
      and p.rail_reference <> '' and p.status = 'succeeded' and p.id <> a.asked_id
    order by a.asked_id, p.id;
end $function$;
REVOKE EXECUTE ON FUNCTION paid_elsewhere(text[],text[]) FROM public;
GRANT EXECUTE ON FUNCTION paid_elsewhere(text[],text[]) TO corridor_service;

CREATE OR REPLACE FUNCTION seal_batch()
 RETURNS trigger
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
AS $function$
declare
  previous bytea;
begin
  select hash into previous from payout_batches
  where account_id = new.account_id and id < new.id and created + held > 0
  order by id desc limit 1;
  new.hash := sha256(coalesce(previous, '') || convert_to(concat_ws(E'\n',
    (to_jsonb(new) - 'hash')::text, (
      select string_agg(json_build_array(position, status, payout_id, reference_id, problems)::text,
        E'\n' order by position)
      from payout_batch_items
      where account_id = new.account_id and batch_id = new.id)), 'UTF8'));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION digests_of(changed text, owner_id text, ids text[])
 RETURNS jsonb
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  digests jsonb;
begin
  select jsonb_object_agg(e.id, digest_row(to_jsonb(e), array['fanned_out', 'delivery_count']))
  into digests from webhook_endpoints e where e.account_id = owner_id and e.id = any (ids);
  return coalesce(digests, '{}');
end $function$;

CREATE OR REPLACE FUNCTION keep_noted(changed text, before jsonb, after jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  select changed, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
    keep_noted.before -> id, keep_noted.after -> id
  from jsonb_object_keys(keep_noted.before || keep_noted.after) as id
  where keep_noted.before -> id is distinct from keep_noted.after -> id
  order by id
$function$;

CREATE OR REPLACE FUNCTION note_before(changed text, owner_id text, ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform set_config('corridor.noted_' || owner_id, digests_of(changed, owner_id, ids)::text, true);
end $function$;

CREATE OR REPLACE FUNCTION note_after(changed text, owner_id text, ids text[])
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform keep_noted(changed, current_setting('corridor.noted_' || owner_id)::jsonb,
    digests_of(changed, owner_id, ids));
end $function$;

CREATE OR REPLACE FUNCTION refuse_attempt_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'attempt %-% cannot be changed so', old.payout_id, old.number
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_rail_identity()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  lock table payout_attempts in share mode;
  if old.paused_reason = '' or exists (
    select from payout_attempts a
    left join open_payouts p on p.account_id = a.account_id and p.id = a.payout_id
    where a.rail = old.name and a.asked_at is not null and (a.ask_again_at is not null
      or a.ended_as in ('', 'paid') and p.id is not null))
  then
    raise exception 'rail % is asked about payouts: it keeps its far end', old.name
      using errcode = 'check_violation', constraint = 'keeps_its_identity';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_exception_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'exception % of payout % is closed, and stays so', old.number, old.payout_id
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION confine_to_accounts(name text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table %I enable row level security, force row level security', name);
  execute format($policy$
    create policy accounts_named on %I to corridor_service using (array_position(
      (select string_to_array(current_setting('corridor.accounts', true), ',')),
      account_id) is not null)
  $policy$, name);
  execute format('create policy audit on %I for select to corridor_auditor using (true)', name);
  execute format($policy$
    create policy maintenance on %I to %I
    using ((select current_setting('corridor.maintenance', true)) = 'on')
  $policy$, name, current_user);
end $function$;

CREATE OR REPLACE FUNCTION database_identity(OUT system text, OUT database text, OUT timeline text)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  begin
    select system_identifier::text into system from pg_control_system();
  exception when others then system := '';
  end;
  select oid::text into database from pg_database where datname = current_database();
  begin
    timeline := left(pg_walfile_name(pg_current_wal_lsn()), 8);
  exception when others then timeline := '';
  end;
end $function$;

CREATE OR REPLACE FUNCTION check_file_step()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.msg_id, new.name, new.rail, new.format, new.settlement_account, new.currency,
      new.execution_date, new.item_count, new.control_sum, new.sha256, new.sealed_at,
      new.needs_release, new.resend_is_safe)
    is distinct from (old.msg_id, old.name, old.rail, old.format, old.settlement_account,
      old.currency, old.execution_date, old.item_count, old.control_sum, old.sha256, old.sealed_at,
      old.needs_release, old.resend_is_safe)
    or new.envelope is distinct from old.envelope
    or old.offered_at is not null and new.offered_at is distinct from old.offered_at
      and (new.state <> 'uploading' or old.state not in ('unknown', 'sent'))
    or old.approved_by <> '' and new.approved_by <> old.approved_by
    or new.offers < old.offers
  then
    raise exception 'file % stays as it was sealed', old.msg_id using errcode = 'restrict_violation';
  end if;
  if old.state <> new.state and (old.state, new.state) not in (
    ('sealed', 'approved'), ('approved', 'uploading'),
    -- A person withdraws a file before the bank could see it.
    ('sealed', 'withdrawn'), ('approved', 'withdrawn'), ('uploading', 'withdrawn'),
    ('uploading', 'sent'), ('uploading', 'unknown'),
    -- A bank that answers about a file has it.
    ('uploading', 'acknowledged'), ('uploading', 'rejected'),
    ('sent', 'acknowledged'), ('sent', 'rejected'), ('sent', 'uploading'),
    ('unknown', 'acknowledged'), ('unknown', 'rejected'), ('unknown', 'sent'),
    ('unknown', 'uploading'), ('acknowledged', 'rejected'))
  then
    raise exception 'file % cannot go from % to %', old.msg_id, old.state, new.state
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_item_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.account_id, new.payout_id, new.attempt, new.end_to_end_id, new.uetr, new.rail, new.amount,
      new.currency, new.created_at)
    is distinct from (old.account_id, old.payout_id, old.attempt, old.end_to_end_id, old.uetr,
      old.rail, old.amount, old.currency, old.created_at)
    or new.payment::text <> old.payment::text or old.withdrawn
    or old.msg_id <> '' and new.msg_id not in (old.msg_id, '')
    or not new.earlier_files @> old.earlier_files
  then
    raise exception 'item % stays as it is', old.end_to_end_id using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_item_leaves()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from rail_files where msg_id = old.msg_id and state in ('rejected', 'withdrawn'))
  then
    raise exception 'item % stays as it is', old.end_to_end_id using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_inbox_step()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.sha256, new.rail, new.name, new.size, new.received_at)
    is distinct from (old.sha256, old.rail, old.name, old.size, old.received_at)
    or new.kept <> old.kept and (new.kept or new.swept_at is null)
    or new.swept_at is distinct from old.swept_at and (old.swept_at is not null or not old.kept)
    or old.state = 'read' and new.state <> 'read'
    or old.state = 'quarantined' and new.state = 'stored' and not old.kept
  then
    raise exception 'file % of a bank stays as it came', old.name using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION keep_file_act()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET "TimeZone" TO 'UTC'
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  logged text := format('select to_jsonb(r) from (select %s) r', array_to_string(tg_argv, ', '));
  was jsonb;
  is_now jsonb;
begin
  execute logged into was using old;
  execute logged into is_now using new;
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), was, is_now);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_import()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  last screening_imports%rowtype;
begin
  select * into last from screening_imports where list = new.list order by version desc limit 1;
  if new.version <> coalesce(last.version, 0) + 1 then
    raise exception 'version % of list % does not follow %', new.version, new.list,
      coalesce(last.version, 0) using errcode = 'check_violation';
  end if;
  if new.is_sample and not coalesce(last.is_sample, true) then
    raise exception 'a sample does not replace list %', new.list using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION announce_list_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update reference_version set version = version + 1, lists_version = lists_version + 1;
  notify corridor_reference;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_entry_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.until_version is not null or (new.list, new.entry_id, new.since_version, new.digest)
    is distinct from (old.list, old.entry_id, old.since_version, old.digest)
    or new.content::text <> old.content::text
  then
    raise exception 'entry % of list % stays as it was', old.entry_id, old.list
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION unscreen_payouts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update open_payouts o set screened = null
  from payouts p
  where p.account_id = new.account_id and p.on_behalf_of = new.id
    and o.account_id = new.account_id and o.id = p.id and o.screened is not null
    and o.status <> 'succeeded';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_cleared()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from screening_matches m
    where m.account_id = new.account_id and m.object_id = new.id and m.state <> 'cleared')
  then
    raise exception 'nobody has cleared what was found of payout %', new.id
      using errcode = 'check_violation', constraint = 'cleared_by_a_person';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_held_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  payout open_payouts%rowtype;
begin
  select * into payout from open_payouts o
  where o.account_id = new.account_id and o.id = new.payout_id;
  if payout.screening <> '' then
    raise exception 'payout % is held by screening: no rail gets it', new.payout_id
      using errcode = 'check_violation', constraint = 'held_is_not_handed_over';
  end if;
  if payout.status = 'pending_approval' then
    raise exception 'payout % is not approved: no rail gets it', new.payout_id
      using errcode = 'check_violation', constraint = 'approved_before_it_is_sent';
  end if;
  if is_due(new.account_id, payout.execute_at) is false then
    raise exception 'payout % is executed at %, not before', new.payout_id, payout.execute_at
      using errcode = 'check_violation', constraint = 'not_before_its_time';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION unscreen_payouts_to()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update open_payouts o set screened = null
  where o.account_id = new.account_id and o.screened is not null and o.status <> 'succeeded'
    and exists (select from payouts p where p.account_id = new.account_id and p.id = o.id
      and p.beneficiary_id = new.id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_listed_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'entity % may be on a sanctions list: it is not approved', new.id
    using errcode = 'check_violation', constraint = 'cleared_before_approved';
end $function$;

CREATE OR REPLACE FUNCTION queue_party()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into screening_queue as q (account_id, party_id, due_at)
  values (new.account_id, new.id, statement_timestamp())
  on conflict (account_id, party_id) do update set due_at = excluded.due_at;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_limit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.rail <> 'simulator' and not exists (select from rails where name = new.rail) then
    raise exception 'there is no rail %', new.rail using errcode = 'check_violation';
  end if;
  if new.key_id is not null and not exists (
    select from api_keys where key_id = new.key_id and account_id = new.account_id
  ) then
    raise exception 'key % is not of account %', new.key_id, new.account_id
      using errcode = 'check_violation';
  end if;
  if new.zone is not null and not exists (
    select from pg_timezone_names where name = new.zone
  ) then
    raise exception 'time zone % is not known', new.zone using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_other_limit()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'limit % counts what it counts: its cap alone is changed', old.limit_id
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION check_factor()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.user_name <> old.user_name or old.enrolled_at is not null and (
    new.secret <> old.secret or new.made_at <> old.made_at
    or new.enrolled_at is distinct from old.enrolled_at or new.last_step < old.last_step)
  then
    raise exception 'a second factor stays as it is until it is removed'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_factor_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.scope <> 'installation'
    and not exists (select from accounts where account_id = new.scope)
  then
    raise exception 'there is no account %', new.scope using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION session_lacks(of_user text, factor_at timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when factor_at is not null then null
    when exists (
      select from second_factors where user_name = of_user and enrolled_at is not null
    ) then 'code'
    when exists (
      select from second_factor_rules where scope = 'installation' or scope in (
        select account_id from account_roles where user_name = of_user)
    ) then 'enrolment'
  end
$function$;

CREATE OR REPLACE FUNCTION may_give(giver text, of_account text, given text[])
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from account_roles r join users u on u.name = r.user_name
    where r.user_name = giver and r.account_id = of_account and r.role = 'owner'
      and u.disabled_at is null
  ) and given <@ (
    select array_agg(role) || 'viewer'::text from account_roles
    where user_name = giver and account_id = of_account
  ) and (given <@ array['viewer'] or not exists (
    -- Who may pay and approve could otherwise make the second person of an approval.
    select from account_roles m join account_roles a using (user_name, account_id)
    where user_name = giver and account_id = of_account
      and m.role = 'maker' and a.role = 'approver'
  ))
$function$;

CREATE OR REPLACE FUNCTION check_invitation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and (old.ended_at is not null or to_jsonb(new) - 'ended_at' - 'accepted_by'
    <> to_jsonb(old) - 'ended_at' - 'accepted_by')
  then
    raise exception 'what is over stays so, and belongs to whom it was made for'
      using errcode = 'restrict_violation';
  end if;
  if (tg_op = 'INSERT' or new.accepted_by is not null)
    and may_give(new.invited_by, new.account_id, new.roles) is not true
  then
    raise exception 'an owner of the account gives roles of their own'
      using errcode = 'restrict_violation', constraint = 'owner_gives';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_over()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.ended_at is not null or new.user_name <> old.user_name
    or new.secret_hash <> old.secret_hash or new.created_at <> old.created_at
    or to_jsonb(new) -> 'factor_at' is distinct from to_jsonb(old) -> 'factor_at'
    or to_jsonb(new) -> 'by_provider' is distinct from to_jsonb(old) -> 'by_provider'
  then
    raise exception 'what is over stays so, and belongs to whom it was made for'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION forget_devices()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('known_devices of ' || new.user_name, 0));
  delete from known_devices where secret_hash in (
    select secret_hash from known_devices where user_name = new.user_name
    order by last_login_at desc, secret_hash offset 10);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION end_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update sessions set ended_at = clock_timestamp()
  where user_name = new.name and ended_at is null;
  update login_links set ended_at = clock_timestamp()
  where user_name = new.name and ended_at is null;
  delete from known_devices where user_name = new.name;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_own_rights()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  if starts_with(current_setting('corridor.via', true), 'api ')
    and coalesce(changed ->> 'user_name', changed ->> 'name') = current_setting('corridor.operator', true)
  then
    raise exception 'what a person may is changed by another'
      using errcode = 'restrict_violation', constraint = 'rights_by_another';
  end if;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION keep_giver()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if acting_user() not in ('', new.user_name) then
    insert into means_given (user_name, means, given_by)
    values (new.user_name, tg_argv[0], acting_user());
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION givers_of(name text, before_at timestamp with time zone)
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select coalesce(array_agg(distinct given_by), '{}') from means_given
  where user_name = givers_of.name
    and given_at > givers_of.before_at - interval '30 days' and given_at <= givers_of.before_at
$function$;

CREATE OR REPLACE FUNCTION keep_refused_login(attempt bigint, why text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update login_attempts set refused = true where number = attempt;
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  select 'login_attempts', clock_timestamp(), session_user, null,
    jsonb_build_object('user_name', u.name, 'network', a.network, 'refused', why)
  from login_attempts a join users u on u.name = a.user_name
  where a.number = attempt;
end $function$;
REVOKE EXECUTE ON FUNCTION keep_refused_login(bigint,text) FROM public;
GRANT EXECUTE ON FUNCTION keep_refused_login(bigint,text) TO corridor_service;

CREATE OR REPLACE FUNCTION check_approval_rule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.key_id is not null and not exists (
    select from api_keys where key_id = new.key_id and account_id = new.account_id
  ) then
    raise exception 'key % is not of account %', new.key_id, new.account_id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION approval_digest(p payouts)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to(concat_ws(E'\n', coalesce(to_json(p.account_id)::text, 'null'),
    coalesce(to_json(p.id)::text, 'null'), coalesce(to_json(p.quote_id)::text, 'null'),
    coalesce(to_json(p.type)::text, 'null'), coalesce(p.amount::text, 'null'),
    coalesce(to_json(p.currency)::text, 'null'), coalesce(to_json(p.holding_currency)::text, 'null'),
    coalesce(p.holding_amount::text, 'null'), coalesce(p.fixed_fee::text, 'null'),
    coalesce(p.variable_fee::text, 'null'), coalesce(to_json(p.destination_currency)::text, 'null'),
    coalesce(p.destination_amount::text, 'null'), coalesce(p.holding_to_payout::text, 'null'),
    coalesce(p.payout_to_destination::text, 'null'), coalesce(to_json(p.holding_fx_id)::text, 'null'),
    coalesce(to_json(p.payout_fx_id)::text, 'null'),
    coalesce(to_json(p.balance_transaction_id)::text, 'null'),
    coalesce(to_json(p.beneficiary_id)::text, 'null'), coalesce(p.beneficiary_details::text, 'null'),
    coalesce(p.particulars::text, 'null'), coalesce(to_json(p.reference_id)::text, 'null'),
    coalesce(to_json(p.on_behalf_of)::text, 'null'),
    coalesce(to_json(p.fund_transfer_network)::text, 'null'),
    coalesce(to_json(p.charge_type)::text, 'null'),
    coalesce(to_json(p.destination_country)::text, 'null'), coalesce(p.basis::text, 'null'),
    coalesce(p.quote_validity_s::text, 'null'), coalesce(to_json(p.first_rail)::text, 'null'),
    coalesce(p.route::text, 'null'), coalesce(to_json(p.mt103)::text, 'null'),
    coalesce(to_json(p.import_keys)::text, 'null'), coalesce(to_json(p.made_by)::text, 'null'),
    coalesce(to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null'),
    coalesce(to_char(p.execute_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null')), 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION may_approve(name text, of_account text)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (
    select from users u join account_roles r on r.user_name = u.name
    where u.name = may_approve.name and u.disabled_at is null
      and r.account_id = may_approve.of_account and r.role = 'approver')
$function$;

CREATE OR REPLACE FUNCTION makers_of(made_by text[], of_key text)
 RETURNS text[]
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select array(
    select maker from (
      select unnest(makers_of.made_by) union
      select unnest(array[owner, k.made_by]) from api_keys k where key_id = makers_of.of_key union
      select unnest(array[user_name, k.made_by]) from user_keys k where key_id = makers_of.of_key
    ) m(maker) where maker <> '')
$function$;

CREATE OR REPLACE FUNCTION is_of_makers(name text, makers text[], decided_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select name = any (makers) or givers_of(name, decided_at) && makers
$function$;

CREATE OR REPLACE FUNCTION check_decider(name text, of_account text, makers text[], what text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if is_of_makers(name, makers, clock_timestamp()) then
    raise exception '% has made %', name, what
      using errcode = 'check_violation', constraint = 'never_the_maker';
  end if;
  -- The service has read the role before. It was removed since, and the service reads it again.
  if not may_approve(name, of_account) then
    raise exception '% is no approver of account %', name, of_account
      using errcode = 'serialization_failure';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION check_ends_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.outcome <> '' or to_jsonb(new) - array['outcome', 'ended_at']
    is distinct from to_jsonb(old) - array['outcome', 'ended_at']
  then
    raise exception 'an approval stays as it is' using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_new_approval()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.outcome <> '' or not exists (
    select from payouts p join open_payouts o on o.account_id = p.account_id and o.id = p.id
    where p.account_id = new.account_id and p.id = new.payout_id and o.status = 'pending_approval'
      and approval_digest(p) = new.digest)
  then
    raise exception 'an approval is of a payout that waits for it, as it is'
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  approval payout_approvals%rowtype;
begin
  select * into approval from payout_approvals a
  where a.account_id = new.account_id and a.payout_id = new.payout_id;
  if approval.outcome is distinct from '' or new.decided_at >= approval.expires_at then
    raise exception 'payout % waits for nobody''s approval', new.payout_id
      using errcode = 'check_violation', constraint = 'waits_for_an_approval';
  end if;
  if new.digest <> approval.digest then
    raise exception 'payout % is not as it was shown', new.payout_id
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  perform check_decider(new.user_name, new.account_id,
    makers_of(array[approval.made_by], approval.key_id),
    'payout ' || new.payout_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_approval_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  given bigint;
  refused bigint;
begin
  select count(*) filter (where decision = 'approve' and d.digest = new.digest
      and not is_of_makers(d.user_name, makers_of(array[new.made_by], new.key_id), clock_timestamp())
      and may_approve(d.user_name, d.account_id)),
    count(*) filter (where decision = 'reject') into given, refused
  from approval_decisions d
  where d.account_id = new.account_id and d.payout_id = new.payout_id;
  if new.outcome = 'rejected' and refused = 0
    or new.outcome = 'expired' and new.ended_at < new.expires_at
  then
    raise exception 'payout % is not %', new.payout_id, new.outcome using errcode = 'check_violation';
  end if;
  if new.outcome <> 'approved' then return new; end if;
  if refused > 0 or new.ended_at >= new.expires_at or not exists (
    select from payouts p where p.account_id = new.account_id and p.id = new.payout_id
      and approval_digest(p) = new.digest)
  then
    raise exception 'payout % cannot be approved', new.payout_id
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  -- A person who was an approver when the service read the decision may not be one any more.
  if given < new.approvers then
    raise exception 'payout % has % of % approvals', new.payout_id, given, new.approvers
      using errcode = 'serialization_failure';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_approved()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from payout_approvals a
    where a.account_id = old.account_id and a.payout_id = old.id and a.outcome = 'approved')
  then
    raise exception 'payout % is not approved', old.id
      using errcode = 'check_violation', constraint = 'approved_before_it_is_sent';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_not_approved()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from payout_outcomes s
    where s.account_id = old.account_id and s.id = old.id and s.status = 'failed')
  then
    raise exception 'payout % is not approved', old.id
      using errcode = 'check_violation', constraint = 'approved_before_it_is_sent';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION beneficiary_digest(b beneficiaries)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  select sha256(convert_to(concat_ws(E'\n', coalesce(to_json(b.account_id)::text, 'null'),
    coalesce(to_json(b.id)::text, 'null'), coalesce(b.details::text, 'null'),
    coalesce(to_json(b.made_by)::text, 'null'),
    coalesce(to_char(b.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null'),
    coalesce(to_char(b.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'null')), 'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION check_new_beneficiary_approval()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.outcome <> '' or not exists (
    select from beneficiaries b
    where b.account_id = new.account_id and b.id = new.beneficiary_id
      and b.approval = 'pending_approval' and beneficiary_digest(b) = new.digest)
  then
    raise exception 'an approval is of a beneficiary that waits for it, as it is'
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_beneficiary_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  approval beneficiary_approvals%rowtype;
begin
  select * into approval from beneficiary_approvals a
  where a.account_id = new.account_id and a.beneficiary_id = new.beneficiary_id
    and a.digest = new.digest;
  if approval.outcome is distinct from '' or new.decided_at >= approval.expires_at or not exists (
    select from beneficiaries b where b.account_id = new.account_id and b.id = new.beneficiary_id
      and beneficiary_digest(b) = new.digest)
  then
    raise exception 'beneficiary % waits for nobody''s approval as it was shown', new.beneficiary_id
      using errcode = 'check_violation', constraint = 'as_it_was_shown';
  end if;
  perform check_decider(new.user_name, new.account_id, makers_of(approval.made_by, approval.key_id),
    'beneficiary ' || new.beneficiary_id);
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_beneficiary_approval_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  given bigint;
  refused bigint;
begin
  select count(*) filter (where decision = 'approve'
      and not is_of_makers(d.user_name, makers_of(new.made_by, new.key_id), clock_timestamp())
      and may_approve(d.user_name, d.account_id)),
    count(*) filter (where decision = 'reject') into given, refused
  from beneficiary_decisions d
  where d.account_id = new.account_id and d.beneficiary_id = new.beneficiary_id
    and d.digest = new.digest;
  if (new.outcome = 'rejected') <> (refused > 0) or new.ended_at >= new.expires_at then
    raise exception 'beneficiary % is not %', new.beneficiary_id, new.outcome
      using errcode = 'check_violation';
  end if;
  -- A person who was an approver when the service read the decision may not be one any more.
  if new.outcome = 'approved' and given < new.approvers then
    raise exception 'beneficiary % has % of % approvals', new.beneficiary_id, given, new.approvers
      using errcode = 'serialization_failure';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_beneficiary_approved()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.approval = 'pending_approval'
    or new.approval = '' and (tg_op = 'INSERT' or old.approval in ('', 'approved'))
    or tg_op = 'UPDATE' and new.approval = old.approval and new.details ->> 'status' = 'erased'
    or new.approval <> '' and exists (select from beneficiary_approvals a
      where a.account_id = new.account_id and a.beneficiary_id = new.id
        and a.digest = beneficiary_digest(new) and a.outcome = new.approval)
  then
    return new;
  end if;
  raise exception 'nobody has said that beneficiary % is %', new.id, new.approval
    using errcode = 'check_violation', constraint = 'approved_by_people';
end $function$;

CREATE OR REPLACE FUNCTION check_asked()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (
    select from approval_rules r join made m on r.account_id is null or r.account_id = m.account_id
    where r.subject = 'beneficiary' and r.key_id is null and r.country is null and m.approval = '')
  then
    raise exception 'a rule asks for the approval of the beneficiary'
      using errcode = 'serialization_failure';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_change_asked()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from approval_rules r
    where r.subject = 'beneficiary' and r.key_id is null and r.country is null
      and (r.account_id is null or r.account_id = new.account_id))
  then
    raise exception 'a rule asks for the approval of beneficiary %', new.id
      using errcode = 'serialization_failure';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION names_no_country(details json)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case details #>> '{destination_details,type}'
    when 'wallet' then true
    when 'bank' then coalesce(details #>> '{destination_details,bank,iban}',
      details #>> '{destination_details,bank,country}',
      details #>> '{destination_details,bank,bank_codes,swift_code}',
      details #>> '{destination_details,bank,bank_codes,bic}') is null
    else false end
$function$;

CREATE OR REPLACE FUNCTION local_networks_to(currency text, country text)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(array_agg(words[2] order by words[2]), '{}')
  from (select string_to_array(line, ' ') as words from unnest(array[
      'AED aani AE', 'AED uaefts AE', 'ARS coelsa AR', 'AUD becs AU', 'AUD npp AU',
      'BDT beftn BD', 'BDT npsb BD', 'BHD fawri BH', 'BHD fawri_plus BH', 'BRL pix BR',
      'BRL ted BR', 'CAD eft CA', 'CAD interac_etransfer CA', 'CAD lynx CA', 'CHF sic CH LI',
      'CNY beps CN', 'CNY cips CN', 'CNY cnaps CN', 'CNY hvps CN', 'CNY ibps CN',
      'CNY rmb_chats HK', 'COP ach CO', 'COP cenit CO', 'CRC sinpe CR', 'CZK certis CZ',
      'DKK intradagclearing DK FO GL', 'DKK straksclearing DK FO GL', 'DKK sumclearing DK FO GL',
      'EGP instapay EG', 'EUR eur_chats HK',
      'EUR sepa AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK CZ DK HU PL RO '
        || 'SE IS LI NO CH GB AD MC SM VA AL MD ME MK RS GI',
      'EUR sepa_instant AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK CZ DK HU '
        || 'PL RO SE IS LI NO CH GB AD MC SM VA AL MD ME MK RS GI',
      'EUR target2 AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MT NL PT SI SK DK PL RO',
      'GBP bacs GB', 'GBP chaps GB', 'GBP faster_payments GB', 'GHS gip GH', 'HKD chats HK',
      'HKD fps HK', 'HUF giro HU', 'HUF viber HU', 'IDR bi_fast ID', 'IDR bi_rtgs ID',
      'IDR skn ID', 'ILS masav IL', 'ILS zahav IL', 'INR imps IN', 'INR neft IN', 'INR rtgs IN',
      'INR upi IN', 'JOD cliq JO', 'JPY zengin JP', 'KES kepss KE', 'KES pesalink KE',
      'KRW bok_wire KR', 'LKR cefts LK', 'LKR slips LK', 'MXN spei MX', 'MYR duitnow MY',
      'MYR ibg MY', 'MYR rentas MY', 'NGN neft NG', 'NGN nip NG', 'NOK nics NO', 'NZD becs NZ',
      'PEN cce PE', 'PHP instapay PH', 'PHP pesonet PH', 'PKR raast PK', 'PLN elixir PL',
      'PLN express_elixir PL', 'RON regis RO', 'RON transfond RO', 'RSD ips RS', 'SAR sarie SA',
      'SEK bankgirot SE', 'SEK rix_inst SE', 'SGD fast SG', 'SGD giro SG', 'SGD meps SG',
      'THB bahtnet TH', 'THB promptpay TH', 'TRY eft TR', 'TRY fast TR', 'TWD fisc TW',
      'UAH sep UA', 'USD ach US', 'USD fednow US', 'USD fedwire US', 'USD rtp US',
      'USD usd_chats HK', 'VND napas VN', 'XAF sygma CF CG CM GA GQ TD',
      'XOF star_uemoa BF BJ CI GW ML NE SN TG', 'ZAR eft ZA', 'ZAR payshap ZA', 'ZAR rtc ZA',
      'ZAR samos ZA'
    ]) line) n
  where words[1] = $1 and ($2 = '' or $2 = any (words[3:]))
$function$;

CREATE OR REPLACE FUNCTION priced_country(p payouts)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select case when named <> '' or p.quote_id = '' or names_no_country(p.beneficiary_details)
    then named end
  from (select coalesce(nullif(p.destination_country, ''), (
    select q.destination_country from quotes q
    where q.account_id = p.account_id and q.id = p.quote_id), '') as named) c
$function$;

CREATE OR REPLACE FUNCTION networks_of(p payouts)
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select case
    when p.fund_transfer_network <> '' then array[lower(p.fund_transfer_network)]
    when p.type = 'local' then local_networks_to(p.destination_currency, priced_country(p))
    else array[lower(coalesce(p.beneficiary_details #>> '{destination_details,wallet,type}',
      p.beneficiary_details #>> '{destination_details,local_payment_network,type}'))]
  end
$function$;

CREATE OR REPLACE FUNCTION asked_by_a_rule(p payouts)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from approval_rules r
    where r.subject = 'payout' and (r.account_id is null or r.account_id = p.account_id)
      and r.key_id is null and r.at_least is null and not r.new_payee
      and (r.payout_type is null or r.payout_type = p.type)
      and (r.currency is null or r.currency in (p.currency, p.destination_currency))
      and (r.network is null or r.network = any (networks_of(p)))
      and (r.country is null or r.country = priced_country(p)
        or priced_country(p) = '' and names_no_country(p.beneficiary_details)))
$function$;

CREATE OR REPLACE FUNCTION check_new_payouts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  wrong record;
begin
  select m.id, m.type, m.first_rail, m.beneficiary_id, a.sandbox, b.approval, b.archived_at into wrong
  from made m
  cross join lateral (select sandbox from accounts a where a.account_id = m.account_id limit 1) a
  left join lateral (
    select b.approval, b.archived_at from beneficiaries b
    where b.account_id = m.account_id and b.id = m.beneficiary_id
      and (b.approval in ('pending_approval', 'rejected') or b.archived_at is not null)
    limit 1) b on true
  where b.approval is not null or (m.type = 'service_account') <> (m.first_rail = '')
    or m.first_rail <> '' and (m.first_rail = 'simulator') <> a.sandbox
  limit 1;
  if not found then
    -- The rule may be newer than the rules that the process has in memory. The process reads them
    -- again.
    if exists (select from approval_rules where subject = 'payout') and exists (
      -- Finds the state by the id. A condition on the status would, for each row, walk an index of
      -- payouts that wait.
      select from made m where asked_by_a_rule(m::payouts) and 'pending_approval' is distinct from (
        select o.status from open_payouts o where o.account_id = m.account_id and o.id = m.id))
    then
      raise exception 'a rule asks for the approval of the payout'
        using errcode = 'serialization_failure';
    end if;
    return null;
  end if;
  if wrong.archived_at is not null then
    raise exception 'beneficiary % is archived', wrong.beneficiary_id
      using errcode = 'check_violation', constraint = 'beneficiary_not_archived';
  end if;
  if wrong.approval is not null then
    raise exception 'beneficiary % is not approved', wrong.beneficiary_id
      using errcode = 'check_violation', constraint = 'beneficiary_approved_first';
  end if;
  raise exception 'payout % of type % cannot go to rail "%": its account is % sandbox',
    wrong.id, wrong.type, wrong.first_rail, case when wrong.sandbox then 'a' else 'no' end
    using errcode = 'check_violation', constraint = 'simulator_for_sandboxes';
end $function$;

CREATE OR REPLACE FUNCTION check_asked_of_people()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (
    select from beneficiaries b
    where b.account_id = new.account_id and b.id = new.id and b.approval = 'pending_approval'
      and b.details ->> 'status' is distinct from 'erased' and not exists (
        select from beneficiary_approvals a
        where a.account_id = b.account_id and a.beneficiary_id = b.id and a.outcome = ''
          and a.digest = beneficiary_digest(b)))
  then
    raise exception 'nobody was asked to approve beneficiary %', new.id
      using errcode = 'check_violation', constraint = 'asked_of_people';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_payout_asked()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from payout_approvals a
    where a.account_id = new.account_id and a.payout_id = new.id)
  then
    raise exception 'nobody was asked to approve payout %', new.id
      using errcode = 'check_violation', constraint = 'asked_of_people';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION erased_beneficiary(details jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select jsonb_strip_nulls(jsonb_build_object(
    'address', case when details #> '{address,country}' is not null
      then jsonb_build_object('country', details #> '{address,country}') end,
    'destination', details -> 'destination',
    'destination_details', jsonb_build_object('type', details #> '{destination_details,type}',
      'bank', case when details #>> '{destination_details,type}' = 'bank' then jsonb_build_object(
        'country', details #> '{destination_details,bank,country}',
        'currency', details #> '{destination_details,bank,currency}') end,
      'wallet', case when details #>> '{destination_details,type}' = 'wallet' then
        jsonb_build_object('deposit_address', '',
          'type', details #> '{destination_details,wallet,type}',
          'currency', details #> '{destination_details,wallet,currency}') end,
      'local_payment_network', case
        when details #>> '{destination_details,type}' = 'local_payment_network' then
        jsonb_build_object('type', details #> '{destination_details,local_payment_network,type}') end,
      'service_account', details #> '{destination_details,service_account}'),
    'name', '', 'status', 'erased', 'type', details -> 'type'))
$function$;

CREATE OR REPLACE FUNCTION erased_entity(details jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', '', 'on_behalf_of', details -> 'on_behalf_of',
    'registration_address', case when details #> '{registration_address,country}' is not null
      then jsonb_build_object('country', details #> '{registration_address,country}') end))
$function$;

CREATE OR REPLACE FUNCTION erased_history(steps jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select jsonb_agg(step || '{"description":""}' order by nth)
  from jsonb_array_elements(steps) with ordinality as s (step, nth)
$function$;

CREATE OR REPLACE FUNCTION erased_state(state jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select state - 'status_description' || case jsonb_typeof(state -> 'failure')
    when 'object' then jsonb_build_object('failure', state -> 'failure' || '{"message":""}')
    else '{}' end
$function$;

CREATE OR REPLACE FUNCTION erased_step(fact jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select erased_state(fact) - 'reason' - 'was_metadata' || '{"erased":true}' || case
    when fact ? 'was' then jsonb_build_object('was', erased_state(fact -> 'was')) else '{}' end
$function$;

CREATE OR REPLACE FUNCTION erased_event(type text, object_id text, data json)
 RETURNS json
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select ('[' || string_agg(case when nth > 1 or json_typeof(fact) <> 'object' then fact::text
      when type = 'beneficiary.updated' then format('{"updated_at":%s,"erased":true}',
        fact -> 'updated_at')
      when type = 'entity.updated' then format('{"steps":%s,"erased":true}', fact -> 'steps')
      when type like 'entity.approval%' then format('{"approval_status":%s,"previous_status":%s,'
          '"description":"","was":%s,"steps":%s,"erased":true}',
        fact -> 'approval_status', fact -> 'previous_status', fact -> 'was', fact -> 'steps')
      when object_id like 'pot\_%' and type <> 'payout.erased' then erased_step(fact::jsonb)::text
      else fact::text end, ',' order by nth) || ']')::json
  from json_array_elements(data) with ordinality as d (fact, nth)
$function$;

CREATE OR REPLACE FUNCTION is_erasure(owner_id text, changed text, named text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select exists (
    select from erasures e
    where e.account_id = owner_id and e.table_name = changed and e.key = named)
$function$;

CREATE OR REPLACE FUNCTION guard_beneficiary()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.details::jsonb <> erased_beneficiary(old.details::jsonb)
    or not is_erasure(old.account_id, 'beneficiaries', old.id)
  then
    raise exception 'beneficiary % changes only by an erasure', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_entity()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.details::jsonb <> erased_entity(old.details::jsonb)
    or new.approval_history::jsonb <> erased_history(old.approval_history::jsonb)
    or (new.approval_status, new.approval_status_description, new.on_behalf_of, new.reference_id)
      is distinct from (old.approval_status, '', old.on_behalf_of, '')
    or num_nonnulls(new.email_key, new.national_identification_key, new.name_address_key,
      new.registration_key) > 0
    or not is_erasure(old.account_id, 'entities', old.id)
  then
    raise exception 'entity % changes only by an erasure', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - 'data' <> to_jsonb(old) - 'data'
    or new.data::text is distinct from erased_event(old.type, old.object_id, old.data)::text
    or not exists (
      select from erasures e where e.account_id = old.account_id and e.table_name = 'events'
        and e.key = old.sequence::text and e.was = old.hash)
  then
    raise exception 'events is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_payout()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - array['beneficiary_details', 'particulars', 'mt103']
      <> to_jsonb(old) - array['beneficiary_details', 'particulars', 'mt103']
    or new.beneficiary_details::jsonb <> erased_beneficiary(old.beneficiary_details::jsonb)
    or new.particulars::text <> '{}' or new.mt103 <> ''
    or not is_erasure(old.account_id, 'payouts', old.id)
  then
    raise exception 'payouts is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_outcome()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - array['status_description', 'failure', 'answers', 'metadata']
      <> to_jsonb(old) - array['status_description', 'failure', 'answers', 'metadata']
    or new.metadata is not null or new.status_description <> '' or new.answers::text <> '[]'
    or new.failure::jsonb is distinct from old.failure::jsonb || '{"message":""}'
    or not is_erasure(old.account_id, 'payouts', old.id)
  then
    raise exception 'the answers of payout % are only erased', old.id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_erased()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  form jsonb := to_jsonb(old) || tg_argv[0]::jsonb;
  object text := coalesce(form ->> 'payout_id', form ->> 'object_id');
  erased text := case left(object, 4) when 'ent_' then 'entities' when 'bnf_' then 'beneficiaries'
    else 'payouts' end;
begin
  if jsonb_typeof(form -> 'not_taken') = 'object' then
    form := jsonb_set(form, '{not_taken,message}', '""');
  end if;
  if to_jsonb(new) <> form
    or not is_erasure(old.account_id, erased, object)
  then
    raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_file_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if octet_length(new.bytes) > 0 or new.envelope is not null
    or to_jsonb(new) - array['bytes', 'envelope'] <> to_jsonb(old) - array['bytes', 'envelope']
    or old.state not in ('sent', 'acknowledged', 'rejected', 'withdrawn')
    or old.sealed_at > clock_timestamp()
      - make_interval(years => (select retention_years from privacy_settings))
  then
    raise exception 'file % stays as it was sealed, as long as payments are kept', old.msg_id
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION erase_files(msg_ids text[])
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  update rail_files set bytes = '', envelope = null where msg_id = any (msg_ids)
$function$;
REVOKE EXECUTE ON FUNCTION erase_files(text[]) FROM public;
GRANT EXECUTE ON FUNCTION erase_files(text[]) TO corridor_service;

CREATE OR REPLACE FUNCTION guard_sweep()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if old.received_at > clock_timestamp()
      - make_interval(years => (select retention_years from privacy_settings))
    or exists (select from rail_inbox_lines l where l.sha256 = old.sha256 and l.closed_by = '')
  then
    raise exception 'file % of a bank stays, as long as payments are kept and lines of it are open',
      old.name using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_swept_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (select from rail_inbox f where f.sha256 = old.sha256 and f.swept_at is not null) then
    raise exception 'rail_inbox_bytes is append-only' using errcode = 'restrict_violation';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION sweep_inbox(files text[], most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  swept bytea[];
begin
  select array_agg(sha256) into swept from (
    select f.sha256 from rail_inbox f cross join privacy_settings s
    where f.kept and (f.state = 'read' or f.closed_by <> '')
      and case when files is null
        then f.received_at <= clock_timestamp() - make_interval(days => s.inbox_days)
        else encode(f.sha256, 'hex') = any (files) end
      and f.received_at <= clock_timestamp() - make_interval(years => s.retention_years)
      and not exists (
        select from rail_inbox_lines l where l.sha256 = f.sha256 and l.closed_by = '')
    order by f.received_at limit most for update of f skip locked
  ) old;
  update rail_inbox set kept = false, swept_at = clock_timestamp() where sha256 = any (swept);
  delete from rail_inbox_bytes where sha256 = any (swept);
  return coalesce(cardinality(swept), 0);
end $function$;
REVOKE EXECUTE ON FUNCTION sweep_inbox(text[],integer) FROM public;
GRANT EXECUTE ON FUNCTION sweep_inbox(text[],integer) TO corridor_service;

CREATE OR REPLACE FUNCTION guard_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'words of % are only erased', tg_table_name using errcode = 'restrict_violation';
end $function$;

CREATE OR REPLACE FUNCTION guard_payee()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not is_erasure(old.account_id, 'payouts', old.payout_id) then
    raise exception 'approved_payees is append-only' using errcode = 'restrict_violation';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION check_cut()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.created_at > clock_timestamp() - (
    select make_interval(days => coalesce(event_days, 1000000)) from privacy_settings)
  then
    raise exception 'events are kept for longer than since %', new.created_at
      using errcode = 'restrict_violation', constraint = 'kept_as_long_as_set';
  end if;
  if not exists (
    select from events e where e.account_id = new.account_id and e.sequence = new.sequence
      and e.hash = new.hash and e.created_at = new.created_at
  ) or not exists (
    select from events e where e.account_id = new.account_id and e.sequence > new.sequence
  ) then
    raise exception 'no row of events that others follow ends with % so', new.sequence
      using errcode = 'restrict_violation', constraint = 'cut_at_a_row';
  end if;
  if exists (
    select from webhook_endpoints w where w.account_id = new.account_id
      and (w.fanned_out < new.sequence or exists (
        select from webhook_deliveries d where d.account_id = w.account_id
          and d.endpoint_id = w.id and d.status = 'pending' and d.event_sequence <= new.sequence
      ) or exists (
        select from webhook_deliveries d where d.account_id = w.account_id
          and d.endpoint_id = w.id and d.status = 'dead' and d.event_sequence <= new.sequence
      ))
  ) then
    raise exception 'events up to % are still to be delivered', new.sequence
      using errcode = 'restrict_violation', constraint = 'delivered_first';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION guard_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if coalesce(current_setting('corridor.archived', true), '') <> 'on' then
    raise exception 'events is append-only' using errcode = 'restrict_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION guard_removed_row()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not exists (
    select from event_cuts c where c.account_id = old.account_id and c.sequence >= old.sequence
  ) then
    raise exception 'event % is in no archive', old.sequence using errcode = 'restrict_violation';
  end if;
  return old;
end $function$;

CREATE OR REPLACE FUNCTION remove_archived(owner_id text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  removed integer;
  was text := coalesce(current_setting('corridor.maintenance', true), '');
begin
  perform set_config('corridor.archived', 'on', true), set_config('corridor.maintenance', 'on', true);
  delete from events e where e.account_id = owner_id and e.sequence <= (
    select max(c.sequence) from event_cuts c where c.account_id = owner_id);
  get diagnostics removed = row_count;
  perform set_config('corridor.archived', '', true), set_config('corridor.maintenance', was, true);
  return removed;
end $function$;
REVOKE EXECUTE ON FUNCTION remove_archived(text) FROM public;
GRANT EXECUTE ON FUNCTION remove_archived(text) TO corridor_service;

CREATE OR REPLACE FUNCTION refuse_live_log()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select sandbox from accounts where account_id = new.account_id) then return new; end if;
  raise exception 'requests of % are not logged: it is no sandbox', new.account_id
    using errcode = 'check_violation';
end $function$;

CREATE OR REPLACE FUNCTION are_distinct(list text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select count(distinct one) = count(*) from unnest(list) as u (one)
$function$;

CREATE OR REPLACE FUNCTION refuse_nostro_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'nostro % keeps its currency, its purpose and its opening', old.name
    using errcode = 'check_violation', constraint = 'nostro_keeps';
end $function$;

CREATE OR REPLACE FUNCTION refuse_cursor_back()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the cursor of account % cannot go back', old.account_id
    using errcode = 'check_violation', constraint = 'cursor_rises';
end $function$;

CREATE OR REPLACE FUNCTION house_journal_is_sound(codes text, currencies text, nostros text, amounts bigint[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select count(*) between 2 and 20
    and bool_and(code is not null and currency is not null and nostro is not null
      and amount is not null and amount <> 0 and (code = 'bank') = (nostro <> '-'))
    and not exists (select from unnest(string_to_array(currencies, ' '), amounts) as s (c, a)
      group by c having sum(a) <> 0)
  from unnest(string_to_array(codes, ' '), string_to_array(currencies, ' '),
    string_to_array(nostros, ' '), amounts) as p (code, currency, nostro, amount)
$function$;

CREATE OR REPLACE FUNCTION house_content(j house_journals)
 RETURNS bytea
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
 SET "DateStyle" TO 'ISO'
AS $function$
  select convert_to(concat_ws(E'\n', j.number, j.created_at, j.value_on, j.kind, j.codes,
    j.currencies, j.nostros, array_to_string(j.amounts, ' '), coalesce(j.undoes, 0),
    to_json(j.reference), to_json(j.note), to_json(j.by)), 'UTF8')
$function$;

CREATE OR REPLACE FUNCTION chain_house_journal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  head house_journals;
begin
  -- One writer at a time: the next one sees this one's row.
  perform pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0));
  select * into head from house_journals order by number desc limit 1;
  new.number := coalesce(head.number, 0) + 1;
  new.hash := sha256(coalesce(head.hash, decode(repeat('00', 32), 'hex')) || house_content(new));
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_item_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'item % stays as it is', old.id
    using errcode = 'check_violation', constraint = 'item_stays';
end $function$;

CREATE OR REPLACE FUNCTION add_to_total()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into nostro_totals as t (nostro, side, currency, count, amount)
  select nostro, tg_argv[0], currency, count(*), sum(amount) from added group by nostro, currency
  order by nostro, currency
  on conflict (nostro, side, currency)
    do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION move_item_totals()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into nostro_totals as t (nostro, side, currency, count, amount)
  select nostro, 'book', currency, sum(count), sum(amount) from (
    select nostro, currency, 1 as count, amount from after
    union all
    select nostro, currency, -1, -amount from before) moved
  group by nostro, currency having sum(count) <> 0 or sum(amount) <> 0
  order by nostro, currency
  on conflict (nostro, side, currency)
    do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION make_house_items()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into nostro_items (amount, booked_at, house_number, value_on, nostro, currency, kind, key)
  select -sum(amount), new.created_at, new.number, new.value_on, nostro, currency, 'house',
    fold_reference(new.reference)
  from unnest(string_to_array(new.codes, ' '), string_to_array(new.currencies, ' '),
    string_to_array(new.nostros, ' '), new.amounts) as p (code, currency, nostro, amount)
  where code = 'bank' group by nostro, currency having sum(amount) <> 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_statement_file_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'file % of statements stays as it is', old.name
    using errcode = 'check_violation', constraint = 'file_stays';
end $function$;

CREATE OR REPLACE FUNCTION check_members()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  wrong record;
begin
  -- Sets, and look-ups by primary key: a statement may change thousands of rows.
  select c.id, c.match into wrong
  from (select id, match from before except select id, match from after) c
  where (select count(*) from matches m where m.id = c.match and m.undone_at is null) > 0 limit 1;
  if found then
    raise exception '% % is in match %, which is not undone', tg_table_name, wrong.id, wrong.match
      using errcode = 'check_violation', constraint = 'member_of_one_match';
  end if;
  select c.id, c.match into wrong
  from (select id, match from after except select id, match from before) c
  where (select count(*) from matches m where m.id = c.match) > 0 limit 1;
  if found then
    raise exception 'match % has its members already', wrong.match
      using errcode = 'check_violation', constraint = 'member_of_one_match';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_matches()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  wrong bigint;
begin
  -- Each look-up of members is by the index of their match.
  select m.id into wrong from added m join nostros s on s.name = m.nostro
  cross join lateral (
    select coalesce(array_agg(l.id order by l.id), '{}') as ids, coalesce(sum(l.amount), 0) as amount,
      coalesce(bool_and(l.nostro = m.nostro and l.currency = s.currency), true) as fits
    from bank_lines l where l.match = m.id) l
  cross join lateral (
    select coalesce(array_agg(i.id order by i.id), '{}') as ids, coalesce(sum(i.amount), 0) as amount,
      coalesce(bool_and(i.nostro = m.nostro and i.currency = s.currency), true) as fits
    from nostro_items i where i.match = m.id) i
  where l.ids <> array(select unnest(m.lines) order by 1) or l.amount <> m.lines_sum or not l.fits
    or i.ids <> array(select unnest(m.items) order by 1) or i.amount <> m.items_sum or not i.fits
  limit 1;
  if wrong is not null then
    raise exception 'match % has other members than it names', wrong
      using errcode = 'check_violation', constraint = 'match_is_its_members';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_given_back()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from bank_lines where match = new.id)
    or exists (select from nostro_items where match = new.id)
  then
    raise exception 'match % is undone and has members', new.id
      using errcode = 'check_violation', constraint = 'undone_gives_back';
  end if;
  if new.house_number is not null
    and not exists (select from house_journals where undoes = new.house_number)
  then
    raise exception 'match % is undone and its journal of the house stands', new.id
      using errcode = 'check_violation', constraint = 'undone_reverses_its_journal';
  end if;
  if cardinality(new.lines) > 0 and exists (
    select from nostro_items i where i.id = any (new.items) and i.kind = 'funding'
      and not exists (select from nostro_items r where r.account_id = i.account_id
        and r.number > i.number and r.kind = 'funding_reversal' and r.key = i.key
          and r.amount = -i.amount))
  then
    raise exception 'match % is undone and its funding stands', new.id
      using errcode = 'check_violation', constraint = 'undone_after_its_funding';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_match_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'match % stays as it is', old.id
    using errcode = 'check_violation', constraint = 'match_stays';
end $function$;

CREATE OR REPLACE FUNCTION refuse_bank_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'row % of % stays as it is', old.id, tg_table_name
    using errcode = 'check_violation', constraint = 'bank_said_so';
end $function$;

CREATE OR REPLACE FUNCTION erase_old_lines(most integer)
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with old as (
    select l.id from bank_lines l, privacy_settings s
    where l.counterparty || l.counterparty_name || l.text <> ''
      and l.booked_on < (now() - make_interval(years => s.retention_years))::date
    order by l.booked_on limit most
  ), erased as (
    update bank_lines set counterparty = '', counterparty_name = '', text = ''
    where id in (select id from old) returning 1
  )
  select count(*)::integer from erased
$function$;
REVOKE EXECUTE ON FUNCTION erase_old_lines(integer) FROM public;
GRANT EXECUTE ON FUNCTION erase_old_lines(integer) TO corridor_service;

CREATE OR REPLACE FUNCTION refuse_key_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'funding key % stays as it is', old.id
    using errcode = 'check_violation', constraint = 'funding_key_stays';
end $function$;

CREATE OR REPLACE FUNCTION close_digest(month text, cuts bytea, trial_balance jsonb, positions jsonb)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select sha256(convert_to(concat_ws(E'\n', month, encode(cuts, 'hex'), trial_balance, positions),
    'UTF8'))
$function$;

CREATE OR REPLACE FUNCTION refuse_month_before()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- The turn of journals of the house: each is in its month before that closes.
  perform pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0));
  if new.month <= (select max(month) from closes) then
    raise exception 'months close in order' using errcode = 'check_violation',
      constraint = 'months_in_order';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION refuse_closed_month()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A month that is closing has closed when the turn comes.
  perform pg_advisory_xact_lock(hashtextextended('corridor house_journals', 0));
  if to_char(new.value_on, 'YYYY-MM') <= (select max(month) from closes) then
    raise exception 'the month of % is closed', new.value_on
      using errcode = 'check_violation', constraint = 'month_is_open';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION posted_on(j journals, code text)
 RETURNS numeric
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(sum(p.amount), 0) from unnest(string_to_array(j.codes, ' '), j.amounts)
    as p (code, amount) where p.code = $2
$function$;

CREATE OR REPLACE FUNCTION check_conversion()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  q quotes;
  sold journals;
  bought journals;
begin
  select * into q from quotes where account_id = new.account_id and id = new.quote_id;
  select * into sold from journals where account_id = new.account_id and number = new.number;
  select * into bought from journals where account_id = new.account_id and number = new.number + 1;
  if (q.payout_type, q.status, q.updated_at, q.holding_currency, q.destination_currency)
      is distinct from ('conversion', 'used', new.created_at, new.holding_currency,
        new.destination_currency)
    or new.created_at < q.created_at or new.created_at >= q.valid_until
  then
    raise exception 'conversion % is not made at quote %', new.id, new.quote_id
      using errcode = 'check_violation', constraint = 'conversion_at_its_quote';
  end if;
  if (sold.kind, sold.source, sold.created_at, sold.currency, sold.amount, sold.fixed_fee,
      sold.variable_fee) is distinct from ('conversion_out', new.id, new.created_at,
      q.holding_currency, -q.holding_amount, -q.fixed_fee_holding, -q.variable_fee_holding)
    or not string_to_array(sold.codes, ' ') <@ array['available', 'fees', 'fx', 'fx_income']
    or posted_on(sold, 'fees') <> q.fixed_fee_holding + q.variable_fee_holding
    or posted_on(sold, 'fx_income') <> q.fx_income_holding
    or (bought.kind, bought.source, bought.created_at, bought.currency, bought.amount,
      bought.fixed_fee, bought.variable_fee) is distinct from ('conversion_in',
      'cni' || substr(new.id, 4), new.created_at, q.destination_currency, q.destination_amount,
      0, 0)
    or not string_to_array(bought.codes, ' ') <@ array['available', 'fx']
  then
    raise exception 'the journals of conversion % are not those of its quote', new.id
      using errcode = 'check_violation', constraint = 'conversion_moves_what_was_quoted';
  end if;
  -- A conversion cannot wait for people. The rule may be newer than the rules that the process has in
  -- memory; the process reads them again. As with payouts, the service judges the other conditions.
  if exists (select from api_keys where key_id = new.made_by and makes_only) or exists (
    select from approval_rules r
    where r.subject = 'payout' and (r.account_id is null or r.account_id = new.account_id)
      and (r.key_id is null or r.key_id = new.made_by) and r.at_least is null and not r.new_payee
      and r.payout_type is null and r.network is null and r.country is null
      and (r.currency is null or r.currency = new.destination_currency))
  then
    raise exception 'people approve what conversion % moves', new.id
      using errcode = 'serialization_failure', constraint = 'conversion_without_approval';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_conversion_journal()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (select from conversions c
    where c.account_id = new.account_id and c.id = 'cnv' || substr(new.source, 4)
      and c.number = new.number - case new.kind when 'conversion_in' then 1 else 0 end)
  then
    raise exception 'journal % of % is of no conversion', new.number, new.account_id
      using errcode = 'check_violation', constraint = 'journal_of_a_conversion';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_shared_gate()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  other text;
begin
  -- One change at a time: the next one sees the rails of this one.
  perform pg_advisory_xact_lock(hashtextextended('corridor gates', 0));
  select o.name into other from nostros o
  where o.name <> new.name and o.closed_at is null and o.currency = new.currency
    and o.rails && new.rails and (o.settings @> '{"gate":true}' or new.settings @> '{"gate":true}')
  limit 1;
  if found then
    raise exception 'nostros % and % have a rail in common, and one of them has a gate', new.name, other
      using errcode = 'check_violation', constraint = 'gate_of_one_nostro';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION nostro_cover(of text)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select (n.opening_balance
    + coalesce((select t.amount from nostro_totals t
        where t.nostro = n.name and t.side = 'book' and t.currency = n.currency), 0)
    - coalesce((select sum(i.amount) from nostro_items i
        where i.nostro = n.name and i.match is null and i.amount > 0
          and i.value_on > (statement_timestamp() at time zone 'UTC')::date), 0)
    - coalesce((select sum(h.amount) from handed_over h where h.nostro = n.name), 0)
    - coalesce((select sum(p.amount) from books b
        left join account_cursors c on c.account_id = b.account_id
        cross join lateral (
          select j.codes, j.currencies, j.amounts from journals j
          where j.account_id = b.account_id and j.number > coalesce(c.number, 0)
            and j.kind in ('withdrawal', 'funding_reversal')
            and coalesce(j.metadata ->> 'nostro', n.name) = n.name) j
        cross join lateral unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '),
          j.amounts) as p (code, currency, amount)
        where not b.sandbox and b.journal_count > coalesce(c.number, 0)
          and p.currency = n.currency and p.amount > 0 and p.code = 'funding'), 0)
    )::bigint
  from nostros n where n.name = of
$function$;
REVOKE EXECUTE ON FUNCTION nostro_cover(text) FROM public;
GRANT EXECUTE ON FUNCTION nostro_cover(text) TO corridor_auditor;
GRANT EXECUTE ON FUNCTION nostro_cover(text) TO corridor_service;

CREATE OR REPLACE FUNCTION payouts_of_nostro(of text, account_ids text[], ids text[])
 RETURNS TABLE(account_id text, id text, amount bigint, is_handed_over boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select h.account_id, h.id, h.amount, h.is_handed_over
  from unnest(account_ids, ids) as k (account_id, id)
  join house_payouts h on h.account_id = k.account_id and h.id = k.id
  join nostros n on n.name = of and h.rail = any (n.rails) and h.currency = n.currency
$function$;
REVOKE EXECUTE ON FUNCTION payouts_of_nostro(text,text[],text[]) FROM public;
GRANT EXECUTE ON FUNCTION payouts_of_nostro(text,text[],text[]) TO corridor_service;

CREATE OR REPLACE FUNCTION cover_by_hand(of text, of_account text, of_payout text)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select (nostro_cover(of) - coalesce((
    select sum(h.amount) from house_payouts h
    join nostros n on n.name = of and h.rail = any (n.rails) and h.currency = n.currency
    join payouts p on p.account_id = of_account and p.id = of_payout
    where not h.is_handed_over and h.status = 'processing'
      and (h.created_at, h.id) < (p.created_at, p.id)
      and (h.awaits_funds_of = of and not exists (
          select from rails r where r.name = h.rail and r.paused_reason <> '')
        or h.rail = 'manual' and h.account_state = 'active'
        and (h.execute_at is null or h.execute_at <= statement_timestamp()))), 0))::bigint
$function$;
REVOKE EXECUTE ON FUNCTION cover_by_hand(text,text,text) FROM public;
GRANT EXECUTE ON FUNCTION cover_by_hand(text,text,text) TO corridor_service;

CREATE OR REPLACE FUNCTION move_matched_totals()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into nostro_totals as t (nostro, side, currency, count, amount)
  select nostro, tg_argv[0], currency, sum(count), sum(amount) from (
    select nostro, currency, 1 as count, amount from after where match is not null
    union all
    select nostro, currency, -1, -amount from before where match is not null) moved
  group by nostro, currency having sum(count) <> 0 or sum(amount) <> 0
  order by nostro, currency
  on conflict (nostro, side, currency)
    do update set count = t.count + excluded.count, amount = t.amount + excluded.amount;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION payee_account(details json)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select coalesce(d #>> '{bank,iban}', d #>> '{bank,account_number}',
    d #>> '{wallet,deposit_address}', d #>> '{local_payment_network,deposit_key}',
    d #>> '{service_account,deposit_address}')
  from (select details -> 'destination_details') as t (d)
$function$;

CREATE OR REPLACE FUNCTION bare_account(account text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select upper(regexp_replace(account, '[^[:alnum:]]', '', 'g'))
$function$;

CREATE OR REPLACE FUNCTION payee_accounts(items bigint[])
 RETURNS TABLE(item bigint, account text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select i.id, bare_account(payee_account(p.beneficiary_details))
  from nostro_items i join payouts p on p.account_id = i.account_id and p.id = i.payout_id
  where i.id = any (items) and i.payout_id <> ''
$function$;
REVOKE EXECUTE ON FUNCTION payee_accounts(bigint[]) FROM public;
GRANT EXECUTE ON FUNCTION payee_accounts(bigint[]) TO corridor_service;

CREATE OR REPLACE FUNCTION credited_lines(lines bigint[])
 RETURNS TABLE(line bigint, item bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with underived as materialized (
    select j.source from books b left join account_cursors c on c.account_id = b.account_id
    join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
    where not b.sandbox and b.journal_count > coalesce(c.number, 0)
      and j.kind = 'funding' and j.source like 'esc\_line%')
  select l.id, i.id from unnest(lines) as l (id)
  join nostro_items i on i.instruction = 'line_' || l.id and i.match is null and i.kind = 'funding'
    and i.instruction <> ''
  where not exists (select from nostro_items r where r.account_id = i.account_id
    and r.number > i.number and r.kind = 'funding_reversal' and r.key = i.key
    and r.amount = -i.amount)
  union all
  select l.id, null from unnest(lines) as l (id)
  join underived u on u.source = 'esc_line' || l.id
$function$;
REVOKE EXECUTE ON FUNCTION credited_lines(bigint[]) FROM public;
GRANT EXECUTE ON FUNCTION credited_lines(bigint[]) TO corridor_auditor;
GRANT EXECUTE ON FUNCTION credited_lines(bigint[]) TO corridor_service;

CREATE OR REPLACE FUNCTION check_credited()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  wrong bigint;
begin
  select min(c.line) into wrong from credited_lines(array(
    select unnest(m.lines) from added m where m.undone_at is null)) c;
  if wrong is not null then
    raise exception 'line % is credited to an account, and its match has no item of that', wrong
      using errcode = 'check_violation', constraint = 'matched_or_credited';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_return()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (
    select from house_journals h where h.kind = 'return' and h.undoes is null
      and h.reference = 'RTN' || lpad(new.id::text, 9, '0')
      and not exists (select from house_journals u where u.undoes = h.number))
  then
    raise exception 'match % is undone and its payment back stands', new.id
      using errcode = 'check_violation', constraint = 'undone_takes_back_its_return';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_handed_over(counted counted_payout[])
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into handed_over (nostro, amount)
  select g.nostro, sum(c.sign * p.destination_amount)
  from unnest(counted) c
  join books b on b.account_id = c.account_id and not b.sandbox
  join payouts p on p.account_id = c.account_id and p.id = c.id
  join gated_rails g on g.rail = c.rail and g.currency = p.destination_currency
  group by g.nostro having sum(c.sign * p.destination_amount) <> 0
$function$;

CREATE OR REPLACE FUNCTION is_with_rail(asked_at timestamp with time zone, ended_as text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select asked_at is not null and ended_as in ('', 'paid')
$function$;

CREATE OR REPLACE FUNCTION is_handed_over(of text, payout text, by_rail text, taken_by text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select case when by_rail = 'manual' then taken_by <> ''
    else exists (select from payout_attempts a where a.account_id = of and a.payout_id = payout
      and a.rail = by_rail and is_with_rail(a.asked_at, a.ended_as)) end
$function$;

CREATE OR REPLACE FUNCTION count_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  counted counted_payout[];
begin
  if not exists (select from gated_rails) then
    return null;
  end if;
  if tg_op = 'INSERT' then
    counted := array(select (a.account_id, a.payout_id, a.rail, 1)::counted_payout from after a
      join open_payouts o on o.account_id = a.account_id and o.id = a.payout_id and o.rail = a.rail
      where is_with_rail(a.asked_at, a.ended_as) and o.status <> 'succeeded');
  else
    counted := array(select (a.account_id, a.payout_id, a.rail,
        case when is_with_rail(a.asked_at, a.ended_as) then 1 else -1 end)::counted_payout
      from after a
      join before b on b.account_id = a.account_id and b.payout_id = a.payout_id
        and b.number = a.number
        and is_with_rail(b.asked_at, b.ended_as) <> is_with_rail(a.asked_at, a.ended_as)
      join open_payouts o on o.account_id = a.account_id and o.id = a.payout_id and o.rail = a.rail
      where o.status <> 'succeeded');
  end if;
  perform count_handed_over(counted);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_open_payouts()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  counted counted_payout[];
begin
  if not exists (select from gated_rails) then
    return null;
  end if;
  if tg_op = 'DELETE' then
    counted := array(select (b.account_id, b.id, b.rail, -1)::counted_payout from before b
        where b.status <> 'succeeded'
          and is_handed_over(b.account_id, b.id, b.rail, b.taken_by)
      union all
      select (o.account_id, o.id, o.rail, 1)::counted_payout from before b
        join payout_outcomes o on o.account_id = b.account_id and o.id = b.id
        where b.status <> 'succeeded' and o.status <> 'failed');
  else
    counted := array(select (m.account_id, m.id, m.rail, m.sign)::counted_payout
      from before b
      join after a on a.account_id = b.account_id and a.id = b.id
        and (a.rail, a.taken_by, a.status) is distinct from (b.rail, b.taken_by, b.status)
      cross join lateral (
        select b.account_id, b.id, b.rail, -1 as sign
        where is_handed_over(b.account_id, b.id, b.rail, b.taken_by)
        union all
        select a.account_id, a.id, a.rail, 1
        where a.status = 'succeeded'
          or is_handed_over(a.account_id, a.id, a.rail, a.taken_by)) m
      where b.status <> 'succeeded');
  end if;
  perform count_handed_over(counted);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION count_derived()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if exists (select from gated_rails) then
    perform count_handed_over(array(
      select (account_id, payout_id, rail, -1)::counted_payout from added where kind = 'payout'));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION add_up_handed_over(of text)
 RETURNS numeric
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select coalesce((select sum(h.amount) from house_payouts h
      where h.rail = any (n.rails) and h.currency = n.currency and h.is_handed_over), 0)
    + coalesce((select sum(p.destination_amount)
      from books b left join account_cursors c on c.account_id = b.account_id
      join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
        and j.kind = 'settlement'
      join payout_outcomes o on o.account_id = j.account_id and o.id = j.source
        and o.rail = any (n.rails)
      join payouts p on p.account_id = j.account_id and p.id = j.source
        and p.destination_currency = n.currency
      where not b.sandbox and b.journal_count > coalesce(c.number, 0)), 0)
  from nostros n where n.name = of
$function$;
REVOKE EXECUTE ON FUNCTION add_up_handed_over(text) FROM public;
GRANT EXECUTE ON FUNCTION add_up_handed_over(text) TO corridor_auditor;

CREATE OR REPLACE FUNCTION wait_for_turn(of text)
 RETURNS void
 LANGUAGE sql
 SET lock_timeout TO '30s'
AS $function$
  select pg_advisory_xact_lock(hashtextextended(of, 0))
$function$;

CREATE OR REPLACE FUNCTION begin_gate()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  perform wait_for_turn('corridor treasury');
  perform wait_for_turn('corridor cover ' || new.name);
  lock table open_payouts, payout_attempts in share mode;
  delete from handed_over where nostro = new.name;
  insert into handed_over (nostro, amount)
  select new.name, s.amount from add_up_handed_over(new.name) as s (amount)
  where s.amount <> 0 and exists (select from gated_rails where nostro = new.name);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION fold_handed_over(of text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  with folded as (
    delete from handed_over where nostro = of
      and exists (select from handed_over h where h.nostro = of offset 1)
    returning amount)
  insert into handed_over (nostro, amount) select of, sum(amount) from folded
  having sum(amount) <> 0
$function$;
REVOKE EXECUTE ON FUNCTION fold_handed_over(text) FROM public;
GRANT EXECUTE ON FUNCTION fold_handed_over(text) TO corridor_service;

CREATE OR REPLACE FUNCTION add_open_days()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into open_days (nostro, currency, day, is_out, count, amount)
  select nostro, currency, value_on, amount < 0, count(*), sum(amount)
  from added where match is null group by nostro, currency, value_on, amount < 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION move_open_days()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  insert into open_days (nostro, currency, day, is_out, count, amount)
  select nostro, currency, value_on, is_out, sum(count), sum(amount) from (
    select nostro, currency, value_on, amount < 0 as is_out, 1 as count, amount
    from after where match is null
    union all
    select nostro, currency, value_on, amount < 0, -1, -amount
    from before where match is null) moved
  group by nostro, currency, value_on, is_out having sum(count) <> 0 or sum(amount) <> 0;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION fold_open_days()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('corridor open_days', 0)) then
    return;
  end if;
  with folded as (
    delete from open_days where (nostro, currency, day, is_out) in (
      select nostro, currency, day, is_out from open_days group by 1, 2, 3, 4 having count(*) > 1)
    returning nostro, currency, day, is_out, count, amount)
  insert into open_days (nostro, currency, day, is_out, count, amount)
  select nostro, currency, day, is_out, sum(count), sum(amount) from folded group by 1, 2, 3, 4
  having sum(count) <> 0 or sum(amount) <> 0;
end $function$;
REVOKE EXECUTE ON FUNCTION fold_open_days() FROM public;
GRANT EXECUTE ON FUNCTION fold_open_days() TO corridor_service;

CREATE OR REPLACE FUNCTION fold_person(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select lower(fold_reference(name))
$function$;

CREATE OR REPLACE FUNCTION is_proposed(of_line bigint, wanted text, person text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce((
    select c.proposes = wanted and fold_person(c.by) <> fold_person(person) from case_notes c
    where c.of = 'line' and c.row_id = of_line and c.proposes <> '' and c.at > coalesce((
      select max(m.at) from bank_lines l join matches m on m.nostro = l.nostro
      where l.id = of_line and m.undone_at is not null and l.id = any (m.lines)), '-infinity')
    order by c.id desc limit 1), false)
$function$;

CREATE OR REPLACE FUNCTION has_item_to_come(of_line bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select exists (
    select from bank_lines l
    cross join lateral (
      select array_remove(array[l.end_to_end_id, l.bank_reference, l.instruction], '') as raw) k
    join books b on not b.sandbox
    left join account_cursors c on c.account_id = b.account_id
    join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
      and j.kind in ('funding', 'reversal')
    left join payout_outcomes o on j.kind = 'reversal' and o.account_id = j.account_id
      and o.id = j.source
    left join payout_attempts a on a.account_id = o.account_id and a.payout_id = o.id
      and a.ended_as = 'returned'
    left join rail_items i on i.account_id = a.account_id and i.payout_id = a.payout_id
      and i.attempt = a.number
    where l.id = of_line and b.journal_count > coalesce(c.number, 0)
      and (fold_reference(case j.kind when 'funding' then j.metadata ->> 'reference'
            else coalesce(i.end_to_end_id, o.rail_reference) end)
          = any (select fold_reference(key) from unnest(k.raw) key)
        or i.instruction_id = any (k.raw) or a.uetr = l.uetr))
$function$;
REVOKE EXECUTE ON FUNCTION has_item_to_come(bigint) FROM public;
GRANT EXECUTE ON FUNCTION has_item_to_come(bigint) TO corridor_auditor;
GRANT EXECUTE ON FUNCTION has_item_to_come(bigint) TO corridor_service;

CREATE OR REPLACE FUNCTION credited_of_line(of_line bigint)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select coalesce(sum(j.amount), 0)::bigint
  from journals j join books b on b.account_id = j.account_id and not b.sandbox
  where j.kind in ('funding', 'funding_reversal') and j.source like 'esc\_line%'
    and j.source = 'esc_line' || of_line
$function$;
REVOKE EXECUTE ON FUNCTION credited_of_line(bigint) FROM public;
GRANT EXECUTE ON FUNCTION credited_of_line(bigint) TO corridor_auditor;
GRANT EXECUTE ON FUNCTION credited_of_line(bigint) TO corridor_service;

CREATE OR REPLACE FUNCTION spent_line(reference text, of_currency text)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  select min(l.id) from bank_lines l
  where l.match is not null and l.amount > 0 and l.currency = of_currency
    and array_remove(array[fold_reference(l.end_to_end_id), fold_reference(l.bank_reference),
      fold_reference(l.instruction)], '') @> array[fold_reference(reference)]
    and not exists (select from nostro_items i where i.match = l.match and i.kind <> 'house')
$function$;
REVOKE EXECUTE ON FUNCTION spent_line(text,text) FROM public;
GRANT EXECUTE ON FUNCTION spent_line(text,text) TO corridor_auditor;
GRANT EXECUTE ON FUNCTION spent_line(text,text) TO corridor_service;

CREATE OR REPLACE FUNCTION take_turn_of_reference(reference text)
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_advisory_xact_lock(
    hashtextextended('corridor reference ' || fold_reference(reference), 0))
$function$;

CREATE OR REPLACE FUNCTION check_funding(j journals)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  of_line bigint := substring(j.source from '^esc_line([1-9][0-9]{0,17})$')::bigint;
  line bank_lines;
  nostro nostros;
begin
  if (select sandbox from accounts where account_id = j.account_id) then
    return;
  end if;
  if j.source !~ '^esc_line[0-9]+$' then
    if exists (
      select from nostros n where n.closed_at is null and n.currency = j.currency
        and j.amount >= (n.settings ->> 'two_people_from')::bigint
        and n.name = coalesce(j.metadata ->> 'nostro', n.name)
        and (n.purpose = 'client' or j.metadata ->> 'nostro' is not null))
    then
      raise exception 'a funding of % % without a line needs two people', j.currency, j.amount
        using errcode = 'check_violation', constraint = 'large_funding_has_a_line';
    end if;
    perform take_turn_of_reference(j.metadata ->> 'reference');
    of_line := spent_line(j.metadata ->> 'reference', j.currency);
    if of_line is not null then
      raise exception 'the money of line % is no account''s', of_line
        using errcode = 'check_violation', constraint = 'funded_by_unspent_money';
    end if;
    return;
  end if;
  -- Whoever matches the line meanwhile, or credits another part of it, waits, or this does.
  select * into line from bank_lines where id = of_line for no key update;
  select * into nostro from nostros where name = line.nostro;
  if line.id is null or line.match is not null or line.currency <> j.currency
    or line.amount < credited_of_line(of_line)
    or nostro.purpose <> 'client' or nostro.closed_at is not null
    or nostro.name <> coalesce(j.metadata ->> 'nostro', nostro.name)
  then
    raise exception '% is no open credit of % %', j.source, j.currency, j.amount
      using errcode = 'check_violation', constraint = 'funded_by_an_open_line';
  end if;
  if line.amount >= (nostro.settings ->> 'two_people_from')::bigint
    and not is_proposed(of_line, j.account_id, coalesce(j.metadata ->> 'by', ''))
    and not exists (
      select from funding_keys k join bank_statements s on s.id = line.statement
      join statement_files f using (sha256)
      where k.account_id = j.account_id and k.nostro = line.nostro and k.made_at < f.received_at
        and j.metadata ->> 'by' = 'corridor')
  then
    raise exception 'line % is credited to % by one person', of_line, j.account_id
      using errcode = 'check_violation', constraint = 'large_credit_by_two';
  end if;
end $function$;

CREATE OR REPLACE FUNCTION refuse_wallet_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'wallet % keeps its key, and its counts only rise', old.address
    using errcode = 'check_violation', constraint = 'wallet_rises';
end $function$;

CREATE OR REPLACE FUNCTION stop_wallets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  update evm_wallets set state = 'stopped', stopped_as = 'history_lost',
    stopped_at = clock_timestamp(), problem = 'the database is a copy: the chain may know more'
  where state = 'active';
  return null;
end $function$;

CREATE OR REPLACE FUNCTION refuse_sweep_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'sweep % stays as it was asked for', old.id
    using errcode = 'check_violation', constraint = 'sweep_stays';
end $function$;

CREATE OR REPLACE FUNCTION check_sweep_begin()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.agreed_by <> '' then
    raise exception 'nobody has asked for this sweep before' using errcode = 'check_violation',
      constraint = 'asked_before_agreed';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION transfer_call(payee text, units numeric)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  select '0xa9059cbb' || lpad(substr(payee, 3), 64, '0')
    || lpad(to_hex(div(units, 1152921504606846976)::bigint), 49, '0')
    || lpad(to_hex(mod(units, 1152921504606846976)::bigint), 15, '0')
$function$;

CREATE OR REPLACE FUNCTION check_slot_begin()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if new.state not in ('signed', 'refused', 'foreign') or new.void_as <> ''
    or new.suspect_at is not null or new.state = 'signed' and new.payee = ''
    or new.state = 'foreign' and new.adopted_by = ''
    or new.nonce is not null and not exists (
      select from evm_wallets w where w.chain_id = new.chain_id and w.address = new.wallet
        and w.next_nonce > new.nonce)
  then
    raise exception 'nonce % of wallet % is not reserved', new.nonce, new.wallet
      using errcode = 'check_violation', constraint = 'reserved_first';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_slot_settings()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  settings jsonb;
begin
  select config into settings from rails
  where name = new.rail and kind = 'evm' and paused_reason = '' for share;
  if settings is null
    or not exists (select from jsonb_array_elements(settings -> 'wallets') as each (w)
      where lower(w ->> 'address') = new.wallet)
    or new.token is distinct from lower(coalesce(
      settings #>> array['tokens', new.currency, 'address'],
      settings #>> array['tokens', new.currency]))
    or new.purpose = 'pay' and (new.amount > (settings ->> 'max_payout')::numeric * 1000000
      or exists (select from evm_wallets w
        where w.chain_id = new.chain_id and w.address = new.payee))
  then
    raise exception 'rail % may not pay nonce % of wallet %', new.rail, new.nonce, new.wallet
      using errcode = 'check_violation', constraint = 'as_its_rail_is_set';
  end if;
  -- Another attempt follows only what is dead.
  if new.purpose = 'pay' and exists (
    select from evm_slots s where s.account_id = new.account_id and s.payout_id = new.payout_id
      and s.purpose = 'pay' and s.attempt <> new.attempt
      and s.state in ('signed', 'sent', 'mined', 'paid'))
  then
    raise exception 'payout % has another payment that is not dead', new.payout_id
      using errcode = 'check_violation', constraint = 'one_live_payment';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_house_slot()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if not exists (
    select from evm_sweeps w where w.id = new.sweep and w.agreed_by <> ''
      and (w.chain_id, w.rail, w.wallet, w.payee, w.currency, w.amount)
        = (new.chain_id, new.rail, new.wallet, new.payee, new.currency, new.amount)
      -- After a restore, a number that nobody here knows may have been this sweep.
      and not exists (select from evm_slots s
        where s.chain_id = w.chain_id and s.wallet = w.wallet and s.token = ''
          and s.purpose = 'foreign' and s.made_at > w.agreed_at))
  then
    raise exception 'nobody has agreed to sweep %', new.sweep
      using errcode = 'check_violation', constraint = 'house_by_two_people';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_slot_step()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.id, new.chain_id, new.nonce, new.amount, new.units, new.made_at, new.attempt,
      new.account_id, new.payout_id, new.rail, new.wallet, new.uetr, new.purpose, new.currency,
      new.token, new.payee, new.calldata, new.to_contract, new.adopted_by, new.sweep)
    is distinct from (old.id, old.chain_id, old.nonce, old.amount, old.units, old.made_at,
      old.attempt, old.account_id, old.payout_id, old.rail, old.wallet, old.uetr, old.purpose,
      old.currency, old.token, old.payee, old.calldata, old.to_contract, old.adopted_by, old.sweep)
    or old.ended_at is not null and (old.state, new.state) <> ('paid', 'sent')
    or old.void_as <> '' and (new.void_as, new.void_by, new.void_reason, new.void_at)
      is distinct from (old.void_as, old.void_by, old.void_reason, old.void_at)
  then
    raise exception 'slot % of wallet % stays as it is', old.nonce, old.wallet
      using errcode = 'restrict_violation';
  end if;
  if old.state <> new.state and (old.state, new.state) not in (
    ('signed', 'sent'), ('signed', 'mined'), ('sent', 'mined'),
    -- Its block is not on the chain any more. A rail that settles on a number of blocks may have
    -- called it paid.
    ('mined', 'sent'), ('paid', 'sent'),
    ('mined', 'paid'), ('mined', 'reverted'), ('mined', 'voided'), ('mined', 'differs'),
    -- Another transaction has its nonce, as far as the providers know.
    ('signed', 'stopped'), ('sent', 'stopped'), ('stopped', 'mined'))
  then
    raise exception 'slot % of wallet % cannot go from % to %', old.nonce, old.wallet, old.state,
      new.state using errcode = 'check_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_slot_proof()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  -- The service gives up by itself only what has never left it.
  if old.void_as = '' and new.void_by = 'corridor' and exists (
    select from evm_transactions t where t.chain_id = old.chain_id and t.wallet = old.wallet
      and t.nonce = old.nonce and t.sends > 0)
  then
    raise exception 'slot % of wallet % stays as it is', old.nonce, old.wallet
      using errcode = 'restrict_violation';
  end if;
  -- One of its transactions is in a block, and says what the slot says.
  if old.state <> new.state and new.state in ('mined', 'paid', 'reverted', 'voided', 'differs')
    and not exists (
      select from evm_transactions t where t.chain_id = old.chain_id and t.wallet = old.wallet
        and t.nonce = old.nonce and t.block is not null
      having count(*) = 1 and (new.state = 'mined' or bool_and(
        (t.kind = 'void') = (new.state = 'voided')
        and (t.kind = 'void' or t.succeeded = (new.state <> 'reverted')))))
  then
    raise exception 'slot % of wallet % has no transaction that is %', old.nonce, old.wallet,
      new.state using errcode = 'check_violation', constraint = 'proved_by_a_block';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_no_gap()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  made bigint;
  above text;
begin
  select count(*) into made from evm_slots
  where chain_id = new.chain_id and wallet = new.address
    and nonce >= old.next_nonce and nonce < new.next_nonce;
  if made <> new.next_nonce - old.next_nonce then
    raise exception 'wallet % has % slots from nonce % to %', new.address, made, old.next_nonce,
      new.next_nonce - 1 using errcode = 'check_violation', constraint = 'no_gap';
  end if;
  select m.currency into above from (
    select distinct s.rail, s.token, s.currency from evm_slots s
    where s.chain_id = new.chain_id and s.wallet = new.address and s.nonce >= old.next_nonce
      and s.nonce < new.next_nonce and s.purpose = 'pay' and s.adopted_by = ''
  ) m join rails r on r.name = m.rail and r.config ->> 'max_day' is not null
  where (r.config ->> 'max_day')::numeric * 1000000 < (
    select sum(s.amount) from evm_slots s
    where s.chain_id = new.chain_id and s.wallet = new.address and s.token = m.token
      and s.made_at >= date_trunc('day', clock_timestamp(), 'UTC') and s.nonce is not null
      and s.purpose = 'pay' and s.state not in ('reverted', 'voided'))
  limit 1;
  if above is not null then
    raise exception 'wallet % would pay more % today than max_day', new.address, above
      using errcode = 'check_violation', constraint = 'within_max_day';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION check_rail_wallets()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  gone text;
begin
  select wallet into gone from evm_slots
  where rail = old.name and state in ('signed', 'sent', 'mined')
    and wallet not in (select lower(w ->> 'address')
      from jsonb_array_elements(new.config -> 'wallets') as each (w))
  limit 1;
  if gone is not null then
    raise exception 'rail % has payments of wallet % under way', old.name, gone
      using errcode = 'check_violation', constraint = 'keeps_its_wallets';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_transaction()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  slot evm_slots;
  carries boolean;
  pays boolean;
begin
  select * into slot from evm_slots where chain_id = new.chain_id and wallet = new.wallet
    and nonce = new.nonce;
  carries := strpos(new.raw, substr(slot.calldata, 3)) > 0;
  -- In the coding of the chain: to whom, no coin, the data, and nothing behind them.
  pays := strpos(new.raw, case new.kind
    when 'pay' then '94' || substr(slot.token, 3) || '80b8'
      || to_hex(length(slot.calldata) / 2 - 1) || substr(slot.calldata, 3) || 'c0'
    else '94' || substr(new.wallet, 3) || '8080c0' end) > 0;
  if slot.ended_at is not null or slot.payee = '' or new.block is not null
    or new.raw = '' and (new.kind <> 'pay' or slot.adopted_by = '' and slot.suspect_at is null)
    or new.raw <> '' and (not pays or new.kind = 'pay' and slot.void_as <> '')
    or new.kind = 'void' and (carries or slot.void_as = '' or new.number = 1)
    or new.number > 1 and not exists (
      select from evm_transactions t where t.chain_id = new.chain_id and t.wallet = new.wallet
        and t.nonce = new.nonce and t.number = new.number - 1)
  then
    raise exception 'transaction % does not fit nonce % of wallet %', new.hash, new.nonce,
      new.wallet using errcode = 'check_violation', constraint = 'fits_its_slot';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_transaction_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (new.chain_id, new.nonce, new.number, new.gas, new.max_fee, new.tip, new.signed_at, new.hash,
      new.wallet, new.kind)
    is distinct from (old.chain_id, old.nonce, old.number, old.gas, old.max_fee, old.tip,
      old.signed_at, old.hash, old.wallet, old.kind)
    or old.first_sent_at is not null and new.first_sent_at is distinct from old.first_sent_at
    or new.sends < old.sends
    or new.raw <> old.raw and (new.raw <> '' or not exists (
      select from evm_slots s where s.chain_id = old.chain_id and s.wallet = old.wallet
        and s.nonce = old.nonce and s.payee = ''))
  then
    raise exception 'transaction % stays as it was signed', old.hash
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION check_transfer_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if to_jsonb(new) <> to_jsonb(old) || '{"receiver":""}' or not exists (
    select from evm_transactions t join evm_slots s
      on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
    where t.hash = old.tx_hash and t.wallet = old.sender and s.payee = '')
  then
    raise exception 'evm_transfers is append-only' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$;
