/** EMAIL settings as sent by an administrator. */
export const EMAIL_SETTINGS = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  fromAddress: 'shop@example.com',
  fromName: 'The Shop',
  username: 'shop',
  password: 'correct horse battery staple',
} as const;
