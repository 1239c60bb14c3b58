-- A business that waits for the operator's review says which one it is: its identity is the key of
-- registration number and country. Earlier rows are judged when they next change.
alter table entities add constraint business_in_review_is_registered check (
  type <> 'business' or approval_status not in ('submitted', 'resubmitted')
    or registration_key is not null
) not valid;
