/** Users and messages of the demonstration. Ids differ per run, so that it can be repeated. */
export type DemoAudience = {
  readonly users: readonly {
    readonly customUserId: string;
    readonly firstName: string;
    readonly lastName: string;
    readonly email: string;
    readonly phoneNumber: string;
  }[];
  /** A user id that is not registered. */
  readonly unknownUserId: string;
};

export function createAudience(run: string): DemoAudience {
  const person = (firstName: string, lastName: string, phoneNumber: string) => {
    const customUserId = `${firstName.toLowerCase()}-${run}`;
    return {
      customUserId,
      firstName,
      lastName,
      email: `${customUserId}@people.example`,
      phoneNumber,
    };
  };
  // Phone numbers reserved for fiction.
  const users = [
    person('Ada', 'Lovelace', '+44 7700 900001'),
    person('Grace', 'Hopper', '+1 202 555 0102'),
    person('Alan', 'Turing', '+44 7700 900003'),
  ];
  return { users, unknownUserId: `unknown-${run}` };
}

/** One message of each of the four types. */
export function buildMessages(
  run: string,
  time: number,
): readonly Readonly<Record<string, unknown>>[] {
  return [
    {
      type: 'action',
      id: `${run}-action`,
      time,
      customName: 'article_read',
      attributes: { article: 'On computable numbers', minutes: 12, isFinished: true },
    },
    {
      type: 'revenue',
      id: `${run}-revenue`,
      time: time + 1,
      customName: 'order_paid',
      revenue: 49.9,
      currency: 'EUR',
    },
    {
      type: 'businessEvent',
      id: `${run}-business`,
      time: time + 2,
      customName: 'stock_counted',
      attributes: { warehouse: 'north', items: 1843 },
    },
    {
      type: 'user',
      id: `${run}-user`,
      time: time + 3,
      city: 'London',
      customAttributes: { plan: 'gold' },
    },
  ];
}
