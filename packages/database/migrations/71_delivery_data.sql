-- What was filled into the personal message of a delivery: from it the same words come back. Written when the delivery is
-- first marked as sending. The version before writes none.
create table delivery_data (
  campaign_id uuid not null,
  delivery_id uuid not null,
  application_id uuid not null,
-- A hash of the words.
  words uuid not null,
  rendered_at timestamptz not null,
-- Place in campaigns.templates, and of the variant in it; null: the template's own message.
  template_no smallint not null,
  variant_no smallint,
-- RENDERER_VERSION in packages/templates/src/filling.ts.
  renderer smallint not null,
-- JSON. No statement reads it.
  filled_in text not null,
  primary key (campaign_id, delivery_id)
);
