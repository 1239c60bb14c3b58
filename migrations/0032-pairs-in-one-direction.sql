-- A pair of currencies has one row in the rate book, in one direction. Each direction was quoted by
-- its own row, so that two rows which contradict each other paid whoever went there and back.

lock table rates in share row exclusive mode;

-- Of two rows the one that is meant stays: what the operator set before a sample, then the newer;
-- the history keeps the other.
delete from rates r using rates kept
where kept.base = r.quote and kept.quote = r.base
  and (not kept.sample, kept.as_of, kept.pegged, kept.loaded_at, kept.base)
    > (not r.sample, r.as_of, r.pegged, r.loaded_at, r.base);

create unique index rates_one_direction on rates (least(base, quote), greatest(base, quote));
