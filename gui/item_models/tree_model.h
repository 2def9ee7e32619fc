#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rackwright::gui {

/// What a tree should show: a row with an id that is unique among its siblings, and the rows below it.
template <class Content>
struct TreeBranch {
  std::string id;
  Content content;
  std::vector<TreeBranch> children = {};
};

/// A tree that is brought in step with what it should show by the fewest rows that come and go, so that views
/// keep what is selected and expanded. A derived class says what is in a cell.
template <class Content>
class TreeModel : public QAbstractItemModel {
 public:
  using QAbstractItemModel::QAbstractItemModel;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override {
    if (column < 0 || column >= columnCount(parent)) return {};
    const Node& holder = nodeAt(parent);
    if (row < 0 || row >= sizeOf(holder) || parent.column() > 0) return {};
    return createIndex(row, column, holder.children[static_cast<std::size_t>(row)].get());
  }
  QModelIndex parent(const QModelIndex& child) const override {
    if (!child.isValid()) return {};
    return indexOf(*static_cast<const Node*>(child.constInternalPointer())->parent);
  }
  int rowCount(const QModelIndex& parent = {}) const override { return parent.column() > 0 ? 0 : sizeOf(nodeAt(parent)); }

  /// Null for the invisible root.
  const Content* contentAt(const QModelIndex& index) const { return index.isValid() ? &nodeAt(index).content : nullptr; }

  /// The first row, from the top, whose content satisfies the test.
  template <class Test>
  QModelIndex find(Test test) const {
    const Node* found = findBelow(root_, test);
    return found ? indexOf(*found) : QModelIndex();
  }

 protected:
  using Branch = TreeBranch<Content>;

  void sync(std::vector<Branch> wanted) { syncBelow(root_, {}, std::move(wanted)); }
  /// Another subject: views begin anew.
  void replace(std::vector<Branch> wanted) {
    beginResetModel();
    root_.children.clear();
    insert(root_, 0, std::move(wanted), 0, 0);
    endResetModel();
  }

 private:
  struct Node {
    std::string id;
    Content content = {};
    Node* parent = nullptr;
    int row = 0;
    std::vector<std::unique_ptr<Node>> children;
  };

  static int sizeOf(const Node& node) { return static_cast<int>(node.children.size()); }
  const Node& nodeAt(const QModelIndex& index) const {
    return index.isValid() ? *static_cast<const Node*>(index.constInternalPointer()) : root_;
  }
  QModelIndex indexOf(const Node& node) const { return &node == &root_ ? QModelIndex() : createIndex(node.row, 0, &node); }

  template <class Test>
  const Node* findBelow(const Node& node, Test& test) const {
    for (const auto& child : node.children) {
      if (test(child->content)) return child.get();
      if (const Node* found = findBelow(*child, test)) return found;
    }
    return nullptr;
  }

  /// Puts wanted[first …] without the last `behind` of them before the row `at`.
  void insert(Node& holder, std::size_t at, std::vector<Branch>&& wanted, std::size_t first, std::size_t behind) {
    std::vector<std::unique_ptr<Node>> added;
    for (std::size_t i = first; i + behind < wanted.size(); ++i) {
      auto node = std::make_unique<Node>();
      node->id = std::move(wanted[i].id);
      node->content = std::move(wanted[i].content);
      node->parent = &holder;
      insert(*node, 0, std::move(wanted[i].children), 0, 0);
      added.push_back(std::move(node));
    }
    holder.children.insert(holder.children.begin() + static_cast<std::ptrdiff_t>(at), std::make_move_iterator(added.begin()),
                           std::make_move_iterator(added.end()));
    number(holder);
  }

  static void number(Node& holder) {
    int row = 0;
    for (const auto& child : holder.children) child->row = row++;
  }

  void syncBelow(Node& holder, const QModelIndex& place, std::vector<Branch> wanted) {
    const auto& present = holder.children;
    const std::size_t shorter = std::min(present.size(), wanted.size());
    std::size_t first = 0;
    while (first < shorter && present[first]->id == wanted[first].id) ++first;
    std::size_t behind = 0;
    while (behind < shorter - first && present[present.size() - 1 - behind]->id == wanted[wanted.size() - 1 - behind].id) ++behind;

    if (present.size() > first + behind) {
      const auto end = present.size() - behind;
      beginRemoveRows(place, static_cast<int>(first), static_cast<int>(end) - 1);
      holder.children.erase(holder.children.begin() + static_cast<std::ptrdiff_t>(first), holder.children.begin() + static_cast<std::ptrdiff_t>(end));
      number(holder);
      endRemoveRows();
    }
    for (std::size_t i = 0; i < first; ++i) update(*holder.children[i], place, std::move(wanted[i]));
    for (std::size_t i = 0; i < behind; ++i) {
      update(*holder.children[holder.children.size() - 1 - i], place, std::move(wanted[wanted.size() - 1 - i]));
    }
    if (wanted.size() > first + behind) {
      beginInsertRows(place, static_cast<int>(first), static_cast<int>(wanted.size() - behind) - 1);
      insert(holder, first, std::move(wanted), first, behind);
      endInsertRows();
    }
  }

  void update(Node& node, const QModelIndex& place, Branch&& wanted) {
    if (!(node.content == wanted.content)) {
      node.content = std::move(wanted.content);
      Q_EMIT dataChanged(index(node.row, 0, place), index(node.row, columnCount(place) - 1, place));
    }
    syncBelow(node, indexOf(node), std::move(wanted.children));
  }

  Node root_;
};

}  // namespace rackwright::gui
