#pragma once

/// The Protobuf types that our headers name, so that including them costs nothing.
namespace google::protobuf {
class Descriptor;
class EnumDescriptor;
class EnumValueDescriptor;
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace rackwright::scenarios {
namespace pb = ::google::protobuf;
}
