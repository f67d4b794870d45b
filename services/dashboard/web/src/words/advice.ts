import { humanize } from '../lib/format.ts';

type Advice = { readonly what: string; readonly todo?: string };

/** Why a delivery did not succeed, and what to do about it. */
const DELIVERY: Readonly<Record<string, Advice>> = {
  unknown_user: { what: 'No user with this customUserId was registered within 10 seconds of the start.', todo: 'Check the id’s letter case, and send a user message before the campaign.' },
  no_address: { what: 'The user has no address for this channel.', todo: 'Send a user message with the phone number or e-mail address.' },
  hashed_only: { what: 'Only a hash of the address is known, and nobody can send to a hash.', todo: 'Send the address itself in a user message.' },
  invalid_address: { what: 'The address is not one that can be sent to.', todo: 'Correct it in the profile; phone numbers need a country code or the application’s default country.' },
  no_subscription: { what: 'None of the user’s devices takes pushes.', todo: 'The browser or app has to ask for permission and register the device.' },
  unsubscribed: { what: 'The user has unsubscribed from marketing.', todo: 'Respect it; transactional messages still arrive.' },
  suppressed_bounce: { what: 'The provider said for good that nobody is reached at this address or number.', todo: 'Get a new one; if it works again, lift the suppression in the settings.' },
  suppressed_complaint: { what: 'The user marked an earlier mail as spam.', todo: 'Leave it: sending on harms what all others receive.' },
  sms_stop: { what: 'The user answered STOP.', todo: 'Only the user can undo it, by answering START.' },
  channel_not_configured: { what: 'The channel is not configured, or its test send has not succeeded yet.', todo: 'Open the channel, check its settings, and make a test send.' },
  channel_disabled: { what: 'The channel is switched off.', todo: 'Switch it on in its settings, then retry the failed.' },
  provider_rejected: { what: 'The provider refused the message for good.', todo: 'Its own code and words stand at each recipient.' },
  provider_auth: { what: 'The provider did not accept the credentials.', todo: 'Write them again on the channel’s page, then retry the failed.' },
  provider_unavailable: { what: 'The provider had trouble until the message’s time was up.', todo: 'Look at the provider’s status page, then retry the failed.' },
  provider_timeout: { what: 'The provider did not answer in time, again and again.', todo: 'Look at the provider’s status page, then retry the failed.' },
  subscription_gone: { what: 'The device no longer exists for its push service; it was removed.', todo: 'Nothing: it registers again when the app or page is opened.' },
  payload_too_large: { what: 'The message is larger than the push service takes.', todo: 'Shorten the text or the custom content.' },
  rate_limited: { what: 'The provider took no more until the message’s time was up.', todo: 'Lower the channel’s rate, or ask the provider for more.' },
  frequency_capped: { what: 'The user has had as much marketing as the frequency cap allows.', todo: 'Raise the cap in the channel’s limits, or send later.' },
  quiet_hours: { what: 'It was quiet hours for the user, and the setting is to drop.', todo: 'Send at another time, or set quiet hours to hold.' },
  spend_cap: { what: 'The day’s cap of this channel was reached.', todo: 'Raise the daily cap in the channel’s limits, or send tomorrow.' },
  outcome_unknown: { what: 'The message left, and its answer was lost: nobody knows whether it arrived.', todo: 'It is not sent again, lest the user gets it twice.' },
  internal: { what: 'Something failed inside the service.', todo: 'Retry the failed, and report it with the campaign id if it happens again.' },
};

/** What became of a submitted message, and what to do about it. */
const INGEST: Readonly<Record<string, Advice>> = {
  duplicate_id: { what: 'A message with this id came before.', todo: 'Give each message an id of its own; repeats of the same are as they should be.' },
  duplicate_user_time: { what: 'An event of this serviceUserId with the same time came before.', todo: 'Use the time of the event to the millisecond.' },
  empty_name: { what: 'The name is empty.', todo: 'Send a slug as name, or a text as customName.' },
  unknown_slug: { what: 'No definition has this slug.', todo: 'Copy the slug from Events, or send customName, which makes a definition.' },
  slug_kind_mismatch: { what: 'The slug is of a definition of another kind.', todo: 'Use a slug of the message’s own type.' },
  unregistered_user: { what: 'The user is not registered yet; the event waits for it, up to 30 days.', todo: 'Send a user message with the customUserId.' },
  invalid_service_user_id: { what: 'The serviceUserId is not a UUID.', todo: 'Send it as the SDK or an answer gave it.' },
  empty_user_id: { what: 'The customUserId is empty.', todo: 'Leave it out, or send the user’s id.' },
  identity_conflict: { what: 'The serviceUserId belongs to another user.', todo: 'Look at which ids the page sends after a login.' },
  definition_discarded: { what: 'The definition was discarded.', todo: 'Take it back in Events, or stop sending it.' },
  definition_limit: { what: 'The application has as many definitions as it may.', todo: 'Keep what varies in attributes rather than in the name.' },
  stale_profile_field: { what: 'A later value of this field was here already.', todo: 'Nothing: the later one counts.' },
  client_key_field: { what: 'A Client key may not change a contact that a Server key has set.', todo: 'Send it from the back end, or allow it in the application’s settings.' },
  dead_letter: { what: 'The record could not be stored and was set aside.', todo: 'Look at it in the dead letters.' },
  invalid_json: { what: 'The body is not JSON.', todo: 'Check quotes, commas and the encoding, which is UTF-8.' },
  validation_failed: { what: 'Fields are missing or wrong.', todo: 'Each has a pointer below.' },
  forbidden: { what: 'Application id and key do not belong together.', todo: 'Compare both with the settings.' },
  ip_not_allowed: { what: 'The address is not on the allow-list.', todo: 'Add it in the settings, if it is one of yours.' },
  client_key_forbidden: { what: 'A Client key may not do this.', todo: 'Use a Server key, on a server.' },
  rate_limited: { what: 'More requests came than the rate allows.', todo: 'Send several messages in one request, or raise the rate.' },
  payload_too_large: { what: 'The body is larger than the limit.', todo: 'Send it in parts.' },
  unsupported_media_type: { what: 'The content type or encoding is not taken.', todo: 'Send application/json.' },
};

/** The code as words, where there is no sentence for it. */
const plain = (code: string): Advice => ({ what: `${humanize(code)}.` });

export const deliveryAdvice = (reason: string): Advice => DELIVERY[reason] ?? plain(reason);
export const ingestAdvice = (reason: string): Advice => INGEST[reason] ?? plain(reason);
