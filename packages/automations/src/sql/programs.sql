-- name: read-version
select definition from automation_versions where automation_id = $1 and version = $2
