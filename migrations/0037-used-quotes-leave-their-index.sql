-- A quote that is used leaves a dead entry in the index of active ones, which `?status=active` passes over
-- until a vacuum. At the usual fifth of the table 200,000 of them took 0.3 s once.
alter table quotes set (autovacuum_vacuum_scale_factor = 0.05);
