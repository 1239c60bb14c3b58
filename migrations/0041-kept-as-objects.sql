-- An answer is kept as its text, or as the object that it shows and that object's state when the
-- answer was made.
alter table idempotency_keys
  alter column body drop not null,
  add column object_id text collate "C" not null default '',
  add column state json,
  add constraint text_or_object check (
    (body is null) = (object_id <> '') and (object_id <> '') = (state is not null));
grant update (object_id, state) on idempotency_keys to corridor_service;
