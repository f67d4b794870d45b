-- Below which span the spans of a campaign belong (https://www.w3.org/TR/trace-context/); null where it is not traced.
alter table campaigns add column traceparent text;
