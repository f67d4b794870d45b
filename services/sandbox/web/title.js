/** Title in the list; not every channel has titles. */
export function titleOf({ title, channel }) {
  return (
    title ||
    {
      EMAIL: '(no subject)',
      SMS: 'Text message',
      WEB_HOOK: 'Hook',
      WEB_PUSH: 'Notification',
      APP_PUSH: 'Notification',
    }[channel] ||
    'Message'
  );
}
