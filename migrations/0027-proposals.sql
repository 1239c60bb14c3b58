-- additive: the former version writes notes that propose nothing.
-- Whose a large credit in suspense is: one person proposes it, and another one does it.

alter table case_notes
  -- What the note proposes for the money of the line: an account, `return`, or what it is booked as
  -- in the books of the house; '' for nothing.
  add column proposes text not null default '' check (length(proposes) <= 40),
  add constraint lines_alone_have_proposals check (proposes = '' or of = 'line');
create index case_notes_of_proposals on case_notes (row_id, id) where proposes <> '';
