-- An update of many rows that did not find them all is contention: somebody else was changing one of
-- them, or it is not what it was when it was read. The transaction is tried again, from its reads.
create function require_all_written(written bigint, wanted bigint) returns void
language plpgsql as $$
begin
  if written <> wanted then
    raise exception '% of % rows were written', written, wanted using errcode = 'serialization_failure';
  end if;
end $$;
