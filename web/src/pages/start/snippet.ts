/** A shell command that registers a user and sends an event. */
export function snippetFor(baseUrl: string, applicationId: string): string {
  return `curl ${baseUrl}/ \\
  -H 'Content-Type: application/json' \\
  -H 'X-Application-Id: ${applicationId}' \\
  -H 'X-API-Key: <your Server key>' \\
  -d '{
    "customUserId": "ada",
    "messages": [
      { "type": "user", "id": "'$(uuidgen)'", "time": '$(date +%s000)', "firstName": "Ada", "email": "ada@example.com" },
      { "type": "action", "id": "'$(uuidgen)'", "time": '$(date +%s000)', "customName": "first_step" }
    ]
  }'`;
}
