"""Cloud Firestore as far as its REST API for documents goes, over the in-memory store of `fake-firestore`.

Values are read and written by google-cloud-firestore. What `fake-firestore` lacks is added here, by the API's reference:
update times, preconditions, masks, atomic commits, transforms of fields of another type, and limits. The module is not
named after that package, which it imports.
"""

import copy
import re
import threading
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from fake_firestore import FakeFirestoreClient
from google.cloud.firestore_v1 import DELETE_FIELD, ArrayRemove, ArrayUnion, Increment, types
from google.cloud.firestore_v1._helpers import decode_dict, decode_value, encode_dict, encode_value
from google.cloud.firestore_v1.field_path import parse_field_path
from google.cloud.firestore_v1.types import StructuredQuery

DOCUMENT_LIMIT, TRANSFORM_LIMIT, WRITE_LIMIT = 1 << 20, 500, 500
LARGEST = (1 << 63) - 1
SIMPLE_PATH = re.compile(r"(?:[A-Za-z_][A-Za-z_0-9]*|`(?:[^`\\]|\\.)+`)(?:\.(?:[A-Za-z_][A-Za-z_0-9]*|`(?:[^`\\]|\\.)+`))*")
# The status of an error, with the code of HTTP that it has.
CODES = {"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403, "NOT_FOUND": 404,
         "ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "INTERNAL": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504}

Fields = dict[str, object]


class Refused(Exception):
    """An error of the API."""

    def __init__(self, status: str, message: str):
        super().__init__(f"{status}: {message}")
        self.status, self.message = status, message

    @property
    def document(self) -> dict:
        """The body of its answer."""
        return {"error": {"code": CODES[self.status], "message": self.message, "status": self.status}}


@dataclass(frozen=True)
class Change:
    """One write to a document, in the order of all."""

    name: str
    who: str
    at: datetime
    before: Fields | None
    after: Fields | None


class Firestore:
    """The documents of one database, their update times, and every change. `dice` chooses where Google may choose, `seconds` is a clock."""

    def __init__(self, project, dice, seconds):
        self.root = f"projects/{project}/databases/(default)"
        self.dice = dice
        self.lock = threading.RLock()
        self.client = FakeFirestoreClient()
        self.created, self.updated = {}, {}
        self.seconds, self.clock = seconds, datetime.fromtimestamp(0, timezone.utc)
        self.history: list[Change] = []

    def name(self, collection, document):
        """The full name of a document."""
        return f"{self.root}/documents/{collection}/{document}"

    def reference(self, name):
        """The document in `fake-firestore`; of another database there is none."""
        prefix = f"{self.root}/documents/"
        parts = name[len(prefix):].split("/")
        if not name.startswith(prefix) or len(parts) % 2 or not all(parts):
            raise Refused("INVALID_ARGUMENT", f'Document name "{name}" is not one of {self.root}.')
        return self.client.document("/".join(parts))

    def fields(self, name):
        """A document's fields as Python's values; none if there is no document."""
        return self.reference(name).get().to_dict()

    # What the API does.

    def batch_get(self, request: types.BatchGetDocumentsRequest):
        """Each document once, in whatever order, as one response each."""
        with self.lock:
            names = list(dict.fromkeys(request.documents))
            self.dice.shuffle(names)
            return [self.found(name, list(request.mask.field_paths) if "mask" in request else None) for name in names]

    def found(self, name, mask):
        """One response of a reading."""
        fields = self.fields(name)
        response = types.BatchGetDocumentsResponse(read_time=self.now())
        if fields is None:
            response.missing = name
        else:
            response.found = self.shown(name, fields, mask)
        return response

    def run_query(self, request: types.RunQueryRequest):
        """Documents of one collection, all of them or by equality of one field, and how many are wanted."""
        query = request.structured_query
        where = query.where.field_filter
        if request.parent != f"{self.root}/documents" or len(query.from_) != 1:
            raise Refused("INVALID_ARGUMENT", f"parent {request.parent}, from {query.from_}")
        if "where" in query and where.op != StructuredQuery.FieldFilter.Operator.EQUAL:
            raise Refused("INVALID_ARGUMENT", f"this server only looks for one field by equality, not {query.where}")
        with self.lock:
            collection = self.client.collection(query.from_[0].collection_id)
            if "where" in query:
                wanted = decode_value(where.value, None)
                found = collection.where(".".join(path(where.field.field_path)), "==", wanted)
                # An integer 1 equals True for Python, and not for Firestore.
                found = [one for one in found.stream() if type(one.get(where.field.field_path)) is type(wanted)]
            else:
                found = list(collection.stream())
            found = found[:query.limit or None] if query.limit else found
            mask = [field.field_path for field in query.select.fields] if "select" in query else None
            now = self.now()
            responses = []
            for one in found:
                name = f"{self.root}/documents/{one.reference.path}"
                responses.append(types.RunQueryResponse(read_time=now, document=self.shown(name, one.to_dict(), mask)))
            return responses or [types.RunQueryResponse(read_time=now)]

    def shown(self, name, fields, mask):
        """A document as it is sent, with the fields of the mask."""
        if mask is not None:
            kept = {}
            for text in mask:
                parts, inner, target = path(text), fields, kept
                # The name stands for the document itself, and is none of its fields.
                if parts == ["__name__"]:
                    continue
                for part in parts[:-1]:
                    inner = inner.get(part) if isinstance(inner, dict) else None
                if isinstance(inner, dict) and parts[-1] in inner:
                    for part in parts[:-1]:
                        target = target.setdefault(part, {})
                    target[parts[-1]] = inner[parts[-1]]
            fields = kept
        return types.Document(name=name, fields=encode_dict(fields), create_time=self.created[name], update_time=self.updated[name])

    def commit(self, request: types.CommitRequest, who="app"):
        """All writes of a commit, in order, or none."""
        if request.transaction:
            raise Refused("INVALID_ARGUMENT", "this server knows no transactions")
        if len(request.writes) > WRITE_LIMIT:
            raise Refused("INVALID_ARGUMENT", f"maximum {WRITE_LIMIT} writes allowed per request")
        with self.lock:
            now = self.now()
            kept = {}
            changes, results = [], []
            transforms = {}
            try:
                for write in request.writes:
                    name = write.delete or write.update.name
                    before = self.fields(name)
                    kept.setdefault(name, (before, self.created.get(name), self.updated.get(name)))
                    transforms[name] = transforms.get(name, 0) + len(write.update_transforms)
                    if transforms[name] > TRANSFORM_LIMIT:
                        raise Refused("INVALID_ARGUMENT", f"maximum {TRANSFORM_LIMIT} transforms allowed per document and request")
                    self.require(write, name, before)
                    results.append(self.apply(write, name, before, now))
                    changes.append(Change(name, who, now, before, self.fields(name)))
            except Exception:
                for name, (fields, created, updated) in kept.items():
                    self.restore(name, fields, created, updated)
                raise
            self.history += changes
            return types.CommitResponse(write_results=results, commit_time=now)

    def restore(self, name, fields, created, updated):
        """Puts a document back as it was."""
        reference = self.reference(name)
        if fields is None:
            if reference.get().exists:
                reference.delete()
            self.created.pop(name, None)
            self.updated.pop(name, None)
        else:
            reference.set(fields)
            self.created[name], self.updated[name] = created, updated

    def require(self, write, name, before):
        """Refuses a write whose precondition does not hold, with one of the errors that it may have."""
        condition = write.current_document
        kind = condition._pb.WhichOneof("condition_type")
        if kind == "exists" and condition.exists and before is None:
            raise Refused("NOT_FOUND", f"No document to update: {name}")
        if kind == "exists" and not condition.exists and before is not None:
            raise Refused("FAILED_PRECONDITION", f"Document already exists: {name}")
        if kind != "update_time":
            return
        if before is None:
            raise Refused(self.dice.choice(["NOT_FOUND", "FAILED_PRECONDITION"]), f"No document to update: {name}")
        if condition.update_time != self.updated[name]:
            raise Refused(self.dice.choice(["FAILED_PRECONDITION", "FAILED_PRECONDITION", "ABORTED"]),
                          f"the stored version ({self.updated[name]}) does not match the required base version ({condition.update_time})")

    def apply(self, write, name, before, now):
        """Carries one write out; returns its result."""
        kind = write._pb.WhichOneof("operation")
        reference = self.reference(name)
        if kind == "delete":
            if before is not None:
                self.restore(name, None, None, None)
            return types.WriteResult()
        if kind != "update":
            raise Refused("INVALID_ARGUMENT", f"this server knows no write {kind}")
        given = decode_dict(write.update.fields, None)
        if "update_mask" not in write:
            reference.set(given)
        elif before is None:
            reference.set({})
        if "update_mask" in write:
            masked(reference, given, list(write.update_mask.field_paths))
        results = [transformed(reference, transform) for transform in write.update_transforms]
        # Times are kept in microseconds.
        after = truncated(reference.get().to_dict())
        reference.set(after)
        size = document_size(name[len(self.root) + len("/documents/"):], after)
        if size > DOCUMENT_LIMIT:
            raise Refused("INVALID_ARGUMENT", f"Document '{name}' cannot be written because its size ({size:,} bytes) exceeds the "
                                              f"maximum allowed size of {DOCUMENT_LIMIT:,} bytes.")
        self.created.setdefault(name, now)
        # What changes nothing leaves the time as it is.
        if before is None or not same(before, after):
            self.updated[name] = now
        return types.WriteResult(update_time=self.updated[name], transform_results=results)

    def now(self):
        """The time of a reading or commit: no two commits have the same."""
        wall = datetime.fromtimestamp(self.seconds(), timezone.utc)
        self.clock = max(wall, self.clock + timedelta(microseconds=1))
        return self.clock


def path(text):
    """The names of a field path, which must be quoted where they are no simple words."""
    if not SIMPLE_PATH.fullmatch(text):
        raise Refused("INVALID_ARGUMENT", f'Invalid property path "{text}". Unquoted property names must match '
                                          "regex ([a-zA-Z_][a-zA-Z_0-9]*)")
    parts = [part.replace("\\`", "`").replace("\\\\", "\\") for part in parse_field_path(text)]
    if any(re.fullmatch(r"__.*__", part) for part in parts) and parts != ["__name__"]:
        raise Refused("INVALID_ARGUMENT", f"The property path {text} is reserved")
    if any("." in part for part in parts):
        raise Refused("INVALID_ARGUMENT", f"this server knows no names with a dot, as in {text}")
    return parts


def masked(reference, given, mask):
    """Sets the fields of a mask; those that are not given are deleted, those that are not in it stay."""
    for text in mask:
        first, *rest = path(text)
        document, inner = reference.get().to_dict(), given
        holder, name = document, first
        for part in rest:
            inner = inner.get(name) if isinstance(inner, dict) else None
            if not isinstance(holder.get(name), dict):
                # Nothing is deleted from what is not there; what is set makes the map around it.
                if not isinstance(inner, dict):
                    break
                holder[name] = {}
            holder, name = holder[name], part
        else:
            if isinstance(inner, dict) and name in inner:
                holder[name] = inner[name]
            else:
                holder.pop(name, None)
        if first in document:
            reference.update({first: document[first]})
        elif first in reference.get().to_dict():
            reference.update({first: DELETE_FIELD})


def transformed(reference, transform):
    """Carries out a transform; returns its result. Where the field has another type, it is set to nothing before."""
    parts = path(transform.field_path)
    if len(parts) > 1:
        raise Refused("INVALID_ARGUMENT", f"this server transforms no field in a map: {transform.field_path}")
    field, kind = parts[0], transform._pb.WhichOneof("transform_type")
    old = reference.get().to_dict().get(field)
    if kind == "increment":
        by = decode_value(transform.increment, None)
        if not is_number(by):
            raise Refused("INVALID_ARGUMENT", "increment takes a number")
        if not is_number(old):
            reference.update({field: 0})
            old = 0
        # The sum of integers stops at the largest.
        if isinstance(old, int) and isinstance(by, int):
            by = max(-LARGEST - 1, min(LARGEST, old + by)) - old
        reference.update({field: Increment(by)})
        return encode_value(reference.get().get(field))
    if kind not in ("append_missing_elements", "remove_all_from_array"):
        raise Refused("INVALID_ARGUMENT", f"this server knows no transform {kind}")
    values = [decode_value(value, None) for value in getattr(transform, kind).values]
    if not isinstance(old, list):
        reference.update({field: []})
        old = []
    # `fake-firestore` adds one as often as it is named, and removes one for each that is named.
    if kind == "append_missing_elements":
        named, change = list(dict.fromkeys(values)), ArrayUnion
    else:
        named, change = [value for value in old if value in values], ArrayRemove
    if named:
        reference.update({field: change(named)})
    return types.Value(null_value=None)


def is_number(value):
    """Whether it is an integer or a double."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def truncated(value):
    """The same with times in whole microseconds."""
    if isinstance(value, dict):
        return {name: truncated(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [truncated(inner) for inner in value]
    if isinstance(value, datetime):
        return datetime.fromtimestamp(int(value.timestamp()), timezone.utc).replace(microsecond=value.microsecond)
    return copy.copy(value)


def same(one, other):
    """Whether two values are equal and of the same types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def document_size(name, fields):
    """The bytes of a document, as Google counts them."""
    return sum(len(part.encode()) + 1 for part in name.split("/")) + 16 + 32 + value_size(fields)


def value_size(value):
    """The bytes of a value."""
    if isinstance(value, dict):
        return sum(len(name.encode()) + 1 + value_size(inner) for name, inner in value.items())
    if isinstance(value, list):
        return sum(map(value_size, value))
    if isinstance(value, str):
        return len(value.encode()) + 1
    if isinstance(value, bytes):
        return len(value)
    return 1 if value is None or isinstance(value, bool) else 8
