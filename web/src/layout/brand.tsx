export function Brand() {
  return (
    <>
      <img src="/dashboard/icon.svg" alt="" width="26" height="26" />
      Tidings
    </>
  );
}
